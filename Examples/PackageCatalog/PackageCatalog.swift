// SPDX-License-Identifier: MIT

import Foundation

/// The program.
@main
struct PackageCatalog {
    static func main() {
        exit(run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }

    private static func run(_ arguments: [String]) -> ExitCode {
        do {
            let arguments = try CommandLineArguments(parsing: arguments)
            switch arguments.command {
            case .help: print(HelpText.usage)
            case .version: print(HelpText.version)
            default:
                complain("the cache is not built into this program yet")
                return .failure
            }
            return .success
        } catch let error as UsageError {
            complain("\(error.description); --help explains the commands")
            return .usage
        } catch {
            complain("\(error)")
            return .failure
        }
    }

    private static func complain(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("PackageCatalog: \(text)\n".utf8))
    }
}
