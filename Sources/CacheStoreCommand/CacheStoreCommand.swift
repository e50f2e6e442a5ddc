// SPDX-License-Identifier: MIT

import CacheStoreHealing
import CacheStoreSQLite
import Foundation

/// The command `cachestore`: looks at store files, checks and heals them.
@main struct CacheStoreCommand {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            let parsed = try CommandArguments(parsing: arguments)
            end(run(parsed))
        } catch {
            Terminal.complain("\(error)")
            Terminal.complain("try: cachestore --help", isBare: true)
            end(.usage)
        }
    }

    private static func run(_ arguments: CommandArguments) -> ExitCode {
        switch arguments.action {
        case .help:
            return Terminal.write(Help.text) ? .healthy : .unknown
        case .version:
            let text = "cachestore \(Help.version), SQLite \(SQLiteLibrary.version)\n"
            return Terminal.write(text) ? .healthy : .unknown
        case .run(let command, let file):
            let result: CommandResult
            do {
                result = try command.run(on: file)
            } catch {
                result = CommandResult(of: error, on: file)
            }
            if let complaint = result.complaint { Terminal.complain("\(file): \(complaint)") }
            let text =
                arguments.writesJSON
                ? json(result, command, file) : result.lines.map { $0 + "\n" }.joined()
            // What could not be written was not told.
            return Terminal.write(text) ? result.exitCode : .unknown
        }
    }

    private static func json(
        _ result: CommandResult, _ command: any FileCommand, _ file: String
    ) -> String {
        let head: [JSONField] = [
            JSONField("command", .string(command.name)),
            JSONField("file", .string(file)),
            JSONField("result", .string(result.name)),
            JSONField("exitCode", .integer(Int(result.exitCode.rawValue))),
        ]
        return JSONValue.object(head + result.fields).text + "\n"
    }

    private static func end(_ code: ExitCode) -> Never { exit(code.rawValue) }
}
