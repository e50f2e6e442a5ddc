// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The signals that monitors of this process watch, and what was arranged for them before.
///
/// Arrangements for signals belong to the whole process, so this is one table for all monitors: the
/// first monitor of a signal remembers what was there, the last one puts it back.
///
/// What libdispatch does on Linux (measured, and tested here): the first source for a signal
/// installs a handler that passes the signal on to a thread of libdispatch; that handler is never
/// installed a second time, and never taken away. So it is remembered here, and installed by hand.
enum MonitoredSignals {
    /// What had been arranged for a signal before the first monitor.
    enum Previous: Sendable {
        /// The system's default course, or a function of the program.
        case disposition(SignalDisposition)
        /// Another signal source of the program, which gets the signal as well.
        case signalSource
    }

    private struct Entry {
        var previous: Previous
        var monitors: Int
    }

    private static let entries = Mutex<[ProcessSignal: Entry]>([:])

    /// The handler of libdispatch's sources, once it is known; held to begin and to end monitoring.
    ///
    /// Not the lock of `entries`: beginning waits for the queue of the source, and what runs on
    /// that queue may ask for an entry.
    private static let sourceHandler = Mutex<SignalDisposition?>(nil)

    /// Activates a source and suppresses what was arranged for its signal.
    ///
    /// Returns the source, or `nil` when the signal is ignored: it stays so, as programs started by
    /// `nohup` must keep it.
    static func begin(
        _ signal: ProcessSignal, making makeSource: () -> any DispatchSourceSignal
    ) -> ActiveSignalSource? {
        sourceHandler.withLock { sourceHandler in
            let isMonitored = entries.withLock { entries in
                entries[signal]?.monitors += 1
                return entries[signal] != nil
            }
            if isMonitored { return ActiveSignalSource(activating: makeSource()) }
            let before = SignalDisposition.current(of: signal)
            if before.kind == .ignored { return nil }
            // The signal may come as soon as the source is active; then this is asked for.
            entries.withLock { entries in
                entries[signal] = Entry(previous: .disposition(before), monitors: 1)
            }
            let source = ActiveSignalSource(activating: makeSource())
            let previous = suppress(signal, before: before, sourceHandler: &sourceHandler)
            entries.withLock { $0[signal]?.previous = previous }
            if case .disposition(let disposition) = previous {
                SignalsOfChildren.remember(disposition.action, for: signal)
            }
            return source
        }
    }

    /// Ends one monitoring of a signal; the last one puts back what was arranged before.
    static func end(
        _ signal: ProcessSignal, cancelling source: ActiveSignalSource, waiting: Bool
    ) {
        sourceHandler.withLock { _ in
            let entry: Entry? = entries.withLock { entries in
                entries[signal]?.monitors -= 1
                guard let entry = entries[signal], entry.monitors == 0 else { return nil }
                entries[signal] = nil
                return entry
            }
            if entry != nil { SignalsOfChildren.forget(signal) }
            // Put back first: a signal that comes between the two takes its course at least.
            if case .disposition(let disposition) = entry?.previous {
                disposition.install(for: signal)
            }
            source.cancel(waiting: waiting)
        }
    }

    /// Returns what had been arranged for a signal that is monitored.
    static func previous(of signal: ProcessSignal) -> Previous? {
        entries.withLock { $0[signal]?.previous }
    }

    private static func suppress(
        _ signal: ProcessSignal, before: SignalDisposition,
        sourceHandler: inout SignalDisposition?
    ) -> Previous {
        #if canImport(Darwin)
            // Untested: there a source only observes, and the course must be suppressed.
            var action = sigaction()
            action.__sigaction_u.__sa_handler = SIG_IGN
            sigaction(signal.rawValue, &action, nil)
            return .disposition(before)
        #else
            let after = SignalDisposition.current(of: signal)
            if !after.leadsToSameCode(as: before) {
                // The source was the first for this signal and has just installed its handler.
                sourceHandler = after
                return .disposition(before)
            }
            let handler = sourceHandler ?? probeSourceHandler()
            sourceHandler = handler
            if handler.leadsToSameCode(as: before) { return .signalSource }
            handler.install(for: signal)
            return .disposition(before)
        #endif
    }

    /// Finds the handler that libdispatch installs, by a source for a signal that nobody sends.
    private static func probeSourceHandler() -> SignalDisposition {
        // By default nothing happens on SIGURG, so it cannot do harm meanwhile.
        let signal = ProcessSignal(rawValue: SIGURG)
        let before = SignalDisposition.current(of: signal)
        let source = ActiveSignalSource(
            activating: DispatchSource.makeSignalSource(
                signal: signal.rawValue, queue: DispatchQueue(label: "cachestore.signals.probe")))
        let handler = SignalDisposition.current(of: signal)
        before.install(for: signal)
        source.cancel(waiting: true)
        return handler
    }
}
