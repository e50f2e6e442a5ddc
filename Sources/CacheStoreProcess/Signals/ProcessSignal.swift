// SPDX-License-Identifier: MIT

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A signal that the system or a person sends to a process.
///
/// ```swift
/// let signals: [ProcessSignal] = [.terminate, .interrupt, ProcessSignal(rawValue: SIGUSR1)]
/// ```
public struct ProcessSignal: RawRepresentable, Sendable, Hashable {
    /// The number of the signal on this system.
    public let rawValue: Int32

    /// Creates the signal with a number of this system.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// `SIGTERM`: a service manager, a container or a person asks the process to end.
    public static let terminate = ProcessSignal(rawValue: SIGTERM)
    /// `SIGINT`: Ctrl-C in the terminal.
    public static let interrupt = ProcessSignal(rawValue: SIGINT)
    /// `SIGHUP`: the terminal is gone.
    public static let hangUp = ProcessSignal(rawValue: SIGHUP)
    /// `SIGQUIT`: Ctrl-\ in the terminal.
    public static let quit = ProcessSignal(rawValue: SIGQUIT)
    /// `SIGTSTP`: Ctrl-Z in the terminal; the process stops and may go on later.
    public static let suspend = ProcessSignal(rawValue: SIGTSTP)

    /// What the system does on a signal that a process has made no arrangements for.
    package enum DefaultCourse: Sendable, Hashable {
        /// The process ends.
        case ending
        /// The process stops until it is told to go on.
        case stopping
        /// Nothing.
        case nothing
    }

    /// What the system does on this signal when the process has made no arrangements.
    package var defaultCourse: DefaultCourse {
        switch rawValue {
        case SIGTSTP, SIGTTIN, SIGTTOU, SIGSTOP: .stopping
        case SIGCHLD, SIGCONT, SIGURG, SIGWINCH: .nothing
        default: .ending
        }
    }

    /// The exit status by which a shell shows that a process ended by this signal.
    package var shellExitStatus: Int32 { 128 + rawValue }

    /// Whether a process can arrange for this signal and go on after it.
    ///
    /// The system keeps two for itself, and after an error of the program nothing can be saved.
    package var canBeMonitored: Bool {
        let kept = [SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS]
        return rawValue > 0 && rawValue < 32 && !kept.contains(rawValue)
    }
}

extension ProcessSignal: CustomStringConvertible {
    private static let names = [
        SIGTERM: "SIGTERM", SIGINT: "SIGINT", SIGHUP: "SIGHUP", SIGQUIT: "SIGQUIT",
        SIGTSTP: "SIGTSTP", SIGUSR1: "SIGUSR1", SIGUSR2: "SIGUSR2", SIGCONT: "SIGCONT",
    ]

    /// The name of the signal in C, such as `SIGTERM`.
    public var description: String { Self.names[rawValue] ?? "signal \(rawValue)" }
}
