// SPDX-License-Identifier: MIT
public import Foundation

/// Processes of programs that have no exit tests: the program starts itself again.
///
/// ```swift
/// @main struct Torture {
///     static func main() throws {
///         CrashRunner.runWork(["save": saveForEver])     // in a child, this never returns
///         let runner = try CrashRunner()
///         let process = try runner.start("save", in: runner.nextCrash(.time(.seconds(1))))
///         #expect(process.wait() == .signal(SIGKILL))
///     }
/// }
/// ```
extension CrashRunner {
    private static let workVariable = "CACHESTORE_CRASH_WORK"
    private static let crashVariable = "CACHESTORE_CRASH"

    /// Does the work that this process was started for, and never returns; or returns at once, if
    /// the process was not started by ``start(_:in:environment:)``.
    ///
    /// - Parameter works: what can be done, by name.
    public static func runWork(_ works: [String: (Crash) throws -> Void]) {
        let environment = ProcessInfo.processInfo.environment
        guard let name = environment[workVariable], let text = environment[crashVariable] else {
            return
        }
        guard let work = works[name],
            let crash = try? JSONDecoder().decode(Crash.self, from: Data(text.utf8))
        else { _exit(96) }
        crash.run(work)
    }

    /// Starts this program again as a process that does one work.
    ///
    /// - Parameters:
    ///   - name: the name of the work, as ``runWork(_:)`` gets it.
    ///   - crash: where it is killed.
    ///   - environment: more variables for the process.
    /// - Throws: an error of the system, when the process could not be started.
    public func start(
        _ name: String, in crash: Crash, environment: [String: String] = [:]
    ) throws -> CrashingProcess {
        var all = ProcessInfo.processInfo.environment
        all.merge(environment) { $1 }
        all[Self.workVariable] = name
        all[Self.crashVariable] = String(
            decoding: try JSONEncoder().encode(crash), as: UTF8.self)
        return try CrashingProcess(environment: all)
    }
}

/// A process that a ``CrashRunner`` has started.
public struct CrashingProcess: Sendable {
    /// How a process ended.
    public enum Ending: Sendable, Hashable {
        /// By itself, with a status.
        case status(Int32)
        /// By a signal.
        case signal(Int32)
    }

    /// The number of the process.
    public let identifier: pid_t

    init(environment: [String: String]) throws {
        let program = "/proc/self/exe"
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(CommandLine.arguments[0]), nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") }
        variables.append(nil)
        defer { for text in arguments + variables { free(text) } }
        var identifier: pid_t = 0
        let result = posix_spawn(&identifier, program, nil, nil, &arguments, &variables)
        guard result == 0 else {
            throw NSError(domain: NSPOSIXErrorDomain, code: Int(result))
        }
        self.identifier = identifier
    }

    /// Waits for the process. Once.
    public func wait() -> Ending {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
    }

    /// Kills the process.
    public func kill() { Foundation.kill(identifier, SIGKILL) }
}
