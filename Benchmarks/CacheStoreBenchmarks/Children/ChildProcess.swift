// SPDX-License-Identifier: MIT

import Foundation

/// This program once more, in a process of its own, to do one thing that is measured there.
struct ChildProcess {
    private let process = Process()
    private let output = Pipe()

    var identifier: pid_t { process.processIdentifier }

    init(_ command: ChildCommand) throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = command.arguments
        process.standardOutput = output
        try process.run()
    }

    /// Waits for the next bytes that the child prints; empty when it has ended.
    func nextOutput() -> String {
        String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    }

    /// Waits for the end of the child: its output is closed then.
    func readToEnd() throws -> String {
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        return String(decoding: data, as: UTF8.self)
    }
}

/// What a child does.
enum ChildCommand {
    case peakMemory(contestant: String, store: URL)
    case autosave(store: URL, rowCount: Int)

    var arguments: [String] {
        switch self {
        case .peakMemory(let contestant, let store): ["--peak-memory", contestant, store.path]
        case .autosave(let store, let rowCount): ["--autosave", store.path, "\(rowCount)"]
        }
    }

    /// - Parameter arguments: without the name of the program.
    init?(_ arguments: [String]) {
        guard arguments.count == 3 else { return nil }
        switch arguments[0] {
        case "--peak-memory":
            self = .peakMemory(
                contestant: arguments[1], store: URL(fileURLWithPath: arguments[2]))
        case "--autosave":
            guard let count = Int(arguments[2]) else { return nil }
            self = .autosave(store: URL(fileURLWithPath: arguments[1]), rowCount: count)
        default:
            return nil
        }
    }

    @MainActor
    func run() throws {
        switch self {
        case .peakMemory(let contestant, let store):
            try PeakMemory.measure(contestant, store: store)
        case .autosave(let store, let rowCount):
            try AutosaveAtTheEnd.waitForSignal(store: store, rowCount: rowCount)
        }
    }
}
