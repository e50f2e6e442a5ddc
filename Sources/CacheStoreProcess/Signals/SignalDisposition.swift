// SPDX-License-Identifier: MIT

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What a process does on a signal.
// A plain value: the pointers in it are addresses of code, and nothing is ever freed.
package struct SignalDisposition: @unchecked Sendable {
    /// The kinds of arrangements for a signal.
    package enum Kind: Sendable, Hashable {
        /// The system's default course.
        case standard
        /// The signal is ignored; `nohup` starts programs so.
        case ignored
        /// A function of the program.
        case handler
    }

    private(set) var action: sigaction

    /// The system's default course.
    package static var standard: SignalDisposition { SignalDisposition(action: sigaction()) }

    /// Nothing happens.
    package static var ignored: SignalDisposition {
        var action = sigaction()
        #if canImport(Darwin)
            // Untested.
            action.__sigaction_u.__sa_handler = SIG_IGN
        #else
            action.__sigaction_handler.sa_handler = SIG_IGN
        #endif
        return SignalDisposition(action: action)
    }

    /// Returns what the process does on a signal now.
    package static func current(of signal: ProcessSignal) -> SignalDisposition {
        var action = sigaction()
        sigaction(signal.rawValue, nil, &action)
        return SignalDisposition(action: action)
    }

    /// The kind of the arrangement.
    package var kind: Kind {
        switch address {
        case Self.address(of: SIG_DFL): .standard
        case Self.address(of: SIG_IGN): .ignored
        default: .handler
        }
    }

    /// Makes this what the process does on a signal.
    package func install(for signal: ProcessSignal) {
        var action = action
        sigaction(signal.rawValue, &action, nil)
    }

    /// Returns whether both lead to the same function, or to the same course of the system.
    package func leadsToSameCode(as other: SignalDisposition) -> Bool {
        address == other.address
    }

    /// Makes the signal happen in the calling thread as this arrangement has it, and returns if the
    /// process still runs.
    ///
    /// Afterwards the arrangement that was there before is in place again.
    package func take(_ signal: ProcessSignal) {
        let monitored = Self.current(of: signal)
        install(for: signal)
        // Queues run on threads that block all signals.
        var set = sigset_t()
        var previous = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, signal.rawValue)
        pthread_sigmask(SIG_UNBLOCK, &set, &previous)
        // Sent to this very thread: sent to the process, a signal source could take it away.
        pthread_kill(pthread_self(), signal.rawValue)
        pthread_sigmask(SIG_SETMASK, &previous, nil)
        monitored.install(for: signal)
    }

    /// Lets a signal do what it does to a process that has made no arrangements.
    ///
    /// The process ends with the exit status of the signal (a shell sees 128 and its number), or
    /// stops until it is told to go on. Returns only in the second case, and for signals that do
    /// nothing by default.
    package static func takeDefaultCourse(of signal: ProcessSignal) {
        standard.take(signal)
        guard signal.defaultCourse == .ending else { return }
        // The first process of a container gets here: the kernel spares it the default course.
        _exit(signal.shellExitStatus)
    }

    private var address: Int {
        // Both forms of a handler are one word in a union; SA_SIGINFO says which is meant.
        #if canImport(Darwin)
            // Untested.
            return Self.address(of: action.__sigaction_u.__sa_handler)
        #else
            return Self.address(of: action.__sigaction_handler.sa_handler)
        #endif
    }

    private static func address(of handler: (@convention(c) (Int32) -> Void)?) -> Int {
        // The system's two special handlers are small numbers, which only a cast can compare.
        unsafeBitCast(handler, to: Int.self)
    }
}
