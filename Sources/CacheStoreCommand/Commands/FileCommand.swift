// SPDX-License-Identifier: MIT

import CacheStoreHealing

/// Something that is done with one file.
protocol FileCommand {
    var name: String { get }

    /// - Throws: errors that say nothing about the content of the file.
    func run(on file: String) throws -> CommandResult
}

/// What a command has to say.
struct CommandResult {
    /// One word.
    var name: String
    var exitCode: ExitCode
    /// For the standard output.
    var lines: [String] = []
    /// What JSON has beside the command, the file, the result and the exit status.
    var fields: [JSONField] = []
    /// For the standard error.
    var complaint: String?

    init(_ name: String, _ exitCode: ExitCode) {
        self.name = name
        self.exitCode = exitCode
    }

    /// What is said of an error.
    init(of error: any Error, on file: String) {
        let error = PersistentStoreError(wrapping: error)
        let (name, exitCode): (String, ExitCode) =
            switch error.code {
            case .damaged: ("damaged", .damaged)
            case .invalidConfiguration, .foreignFile: ("refused", .usage)
            default: ("unknown", .unknown)
            }
        self.init(name, exitCode)
        complaint = error.message
        if let cause = error.underlying { complaint? += " (\(Self.brief(cause)))" }
        let fields = [
            JSONField("code", .string(error.code.description)),
            JSONField("message", .string(error.message)),
        ]
        self.fields = [JSONField("error", .object(fields))]
    }

    private static func brief(_ error: any Error) -> String {
        let text = "\(error)"
        return text.count > 200 ? String(text.prefix(200)) + "…" : text
    }
}
