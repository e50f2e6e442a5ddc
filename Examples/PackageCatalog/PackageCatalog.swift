// SPDX-License-Identifier: MIT

import Foundation

/// The program.
@main
struct PackageCatalog {
    @MainActor
    static func main() async {
        let code = await run(Array(CommandLine.arguments.dropFirst()))
        // What is unsaved is saved on the way out, and the cache closed.
        exit(code.rawValue)
    }

    @MainActor
    private static func run(_ arguments: [String]) async -> ExitCode {
        do {
            let arguments = try CommandLineArguments(parsing: arguments)
            if let directory = arguments.cacheDirectory { PackageCache.chooseDirectory(directory) }
            return try await CommandRunner(command: arguments.command).run()
        } catch let error as UsageError {
            StandardError.write("\(error.description); --help explains the commands")
            return .usage
        } catch {
            StandardError.write("\(error)")
            return .failure
        }
    }
}
