// SPDX-License-Identifier: MIT

import Foundation

/// Reads the stanzas of a package list, however large, without holding more than one at a time.
struct IndexReader {
    /// The program of apt that writes a list to its output, unpacked.
    var aptHelper = URL(fileURLWithPath: "/usr/lib/apt/apt-helper")

    /// The fields to read.
    var fields = Set(ControlField.allCases)

    /// The number of bytes to read at once.
    private static let chunkSize = 1 << 18

    /// Calls a closure with each stanza of a list.
    ///
    /// - Parameters:
    ///   - source: The list.
    ///   - progress: Called after each chunk, with the number of bytes (unpacked) read so far.
    ///   - body: Called with each stanza. What it throws ends the reading and is thrown on.
    /// - Throws: `IndexError` where the list cannot be read to its end.
    func forEachStanza(
        of source: IndexSource, progress: (Int) -> Void = { _ in },
        _ body: (ControlStanza) throws -> Void
    ) throws {
        guard source.isCompressed else {
            let handle: FileHandle
            do {
                handle = try FileHandle(forReadingFrom: source.url)
            } catch {
                throw IndexError(.unreadable, "\(source.url.path) cannot be opened")
            }
            defer { try? handle.close() }
            return try read(handle, named: source.url.path, progress, body)
        }
        try readUnpacked(source, progress, body)
    }

    private func read(
        _ handle: FileHandle, named name: String, _ progress: (Int) -> Void,
        _ body: (ControlStanza) throws -> Void
    ) throws {
        var parser = ControlParser(fields: fields)
        var count = 0
        while true {
            let chunk: Data?
            do {
                chunk = try handle.read(upToCount: Self.chunkSize)
            } catch {
                throw IndexError(.unreadable, "\(name) cannot be read to its end")
            }
            guard let chunk, !chunk.isEmpty else { break }
            try chunk.withUnsafeBytes { try parser.consume($0, body) }
            count += chunk.count
            progress(count)
        }
        try parser.finish(body)
    }

    private func readUnpacked(
        _ source: IndexSource, _ progress: (Int) -> Void,
        _ body: (ControlStanza) throws -> Void
    ) throws {
        let process = Process()
        process.executableURL = aptHelper
        process.arguments = ["cat-file", source.url.path]
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            let path = source.url.path
            guard FileManager.default.isExecutableFile(atPath: aptHelper.path) else {
                throw IndexError(
                    .noUnpacker, "\(path) is compressed, and there is no \(aptHelper.path)")
            }
            throw IndexError(
                .unpackerFailed, "\(path) cannot be unpacked: \(error.localizedDescription)")
        }
        do {
            try read(output.fileHandleForReading, named: source.url.path, progress, body)
        } catch {
            // With nobody reading, the program would wait for ever with a full pipe.
            try? output.fileHandleForReading.close()
            process.terminate()
            process.waitUntilExit()
            throw error
        }
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw IndexError(.unpackerFailed, "\(source.url.path) cannot be unpacked")
        }
    }
}
