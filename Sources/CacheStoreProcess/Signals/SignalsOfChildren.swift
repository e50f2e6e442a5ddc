// SPDX-License-Identifier: MIT

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif
import Synchronization

/// What forked children do on the signals that this process monitors: what this process would do
/// without the monitor.
///
/// A child has the handler, but not the thread that the handler wakes: left as it is, it could not be
/// asked to end. Children that run another program at once are not concerned, for handlers are not
/// passed on.
enum SignalsOfChildren {
    private static let count = 32
    /// Which of the actions count.
    private static let monitored = Atomic<UInt32>(0)
    // Written by whoever begins to monitor, before the bit is set; read in a child, which has a single
    // thread and may take no lock. Never freed.
    nonisolated(unsafe) private static let actions = UnsafeMutablePointer<sigaction>.allocate(
        capacity: count)

    private static let isWatching: Bool = {
        pthread_atfork(nil, nil) { SignalsOfChildren.restore() }
        return true
    }()

    /// Remembers what a child is to do on a signal.
    static func remember(_ action: sigaction, for signal: ProcessSignal) {
        guard isWatching, (1..<Int32(count)).contains(signal.rawValue) else { return }
        (actions + Int(signal.rawValue)).initialize(to: action)
        monitored.bitwiseOr(bit(of: signal), ordering: .releasing)
    }

    /// The signal is not monitored any more.
    static func forget(_ signal: ProcessSignal) {
        guard (1..<Int32(count)).contains(signal.rawValue) else { return }
        monitored.bitwiseAnd(~bit(of: signal), ordering: .relaxed)
    }

    private static func bit(of signal: ProcessSignal) -> UInt32 { 1 << UInt32(signal.rawValue) }

    /// In the child, and with nothing but what is allowed there.
    private static func restore() {
        let bits = monitored.load(ordering: .acquiring)
        var number: Int32 = 1
        while number < Int32(count) {
            if bits & 1 << UInt32(number) != 0 { sigaction(number, actions + Int(number), nil) }
            number += 1
        }
    }
}
