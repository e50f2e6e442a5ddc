// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

/// Tells of signals on a queue of its own, in place of what they would do to the process.
///
/// The handler is ordinary code, not the restricted code of a C signal handler, and it runs whether
/// or not the main thread is blocked. While a signal is monitored, neither its default course nor
/// the program's own handler is taken; ``takePreviousCourse(of:)`` does that when the time has come.
///
/// - Signals that the process ignored at the start stay ignored (`nohup`).
/// - A signal source of the program for the same signal gets the signal as well.
/// - A handler that the program installs *after* the start replaces the monitoring.
package final class SignalMonitor: Sendable {
    /// What became of a signal's course.
    package enum Course: Sendable, Hashable {
        /// It was taken, and the process still runs: it was stopped and goes on, or the program's
        /// own handler has returned.
        case taken
        /// Another signal source of the program has the signal; what happens is the program's.
        case leftToProgram
        /// The signal is not monitored.
        case notMonitored
    }

    private struct State {
        var isStarted = false
        var sources: [ProcessSignal: ActiveSignalSource] = [:]
        var ignored: Set<ProcessSignal> = []
    }

    /// The signals to monitor.
    package let signals: Set<ProcessSignal>
    private static let queueKey = DispatchSpecificKey<ObjectIdentifier>()
    private let queue: DispatchQueue
    private let handler: @Sendable (ProcessSignal) -> Void
    private let state = Mutex(State())

    /// Creates a monitor that has not started.
    ///
    /// - Parameter handler: called on the monitor's queue, one signal after the other. Equal signals
    ///   that come while one is waiting are one, as the system has it.
    /// - Precondition: each signal can be monitored.
    package init(
        signals: Set<ProcessSignal>, handler: @escaping @Sendable (ProcessSignal) -> Void
    ) {
        precondition(
            signals.allSatisfy(\.canBeMonitored),
            "A signal that the system keeps for itself, or an error of the program, is no request.")
        self.signals = signals
        self.handler = handler
        // A serial queue with no target gets a thread even if all shared ones are busy.
        queue = DispatchQueue(label: "cachestore.signals", qos: .userInteractive)
        queue.setSpecific(key: Self.queueKey, value: ObjectIdentifier(queue))
    }

    deinit { stop() }

    /// Whether the monitor has started and not stopped.
    package var isRunning: Bool { state.withLock { $0.isStarted } }

    /// The signals that are not monitored, for the process ignored them when the monitor started.
    package var ignoredSignals: Set<ProcessSignal> { state.withLock { $0.ignored } }

    /// Starts monitoring; does nothing when it has started. On return every signal is watched.
    ///
    /// Must not be called from the handler.
    package func start() {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        guard isFirst else { return }
        // Not under the lock: beginning waits for the queue, where the handler may ask for the state.
        var sources: [ProcessSignal: ActiveSignalSource] = [:]
        for signal in signals {
            sources[signal] = MonitoredSignals.begin(signal) { [queue, handler] in
                let source = DispatchSource.makeSignalSource(signal: signal.rawValue, queue: queue)
                source.setEventHandler { handler(signal) }
                return source
            }
        }
        let wasStopped = state.withLock { state in
            state.ignored = signals.subtracting(sources.keys)
            if state.isStarted { state.sources = sources }
            return !state.isStarted
        }
        if wasStopped { end(sources) }
    }

    /// Stops monitoring and puts back what was arranged before; does nothing when it has not started.
    package func stop() {
        let sources = state.withLock { state in
            defer {
                state.isStarted = false
                state.sources = [:]
            }
            return state.sources
        }
        end(sources)
    }

    private func end(_ sources: [ProcessSignal: ActiveSignalSource]) {
        let isOnQueue = DispatchQueue.getSpecific(key: Self.queueKey) == ObjectIdentifier(queue)
        for (signal, source) in sources {
            MonitoredSignals.end(signal, cancelling: source, waiting: !isOnQueue)
        }
    }

    /// Returns whether a signal ends the process for sure when it takes its course: nobody in the
    /// program has made arrangements for it.
    package static func previousCourseEndsProcess(of signal: ProcessSignal) -> Bool {
        guard case .disposition(let disposition) = MonitoredSignals.previous(of: signal) else {
            return false
        }
        return disposition.kind == .standard && signal.defaultCourse == .ending
    }

    /// Lets a monitored signal do what it would have done without the monitor.
    ///
    /// That is the program's own handler, if it had one, or the default course: the process ends
    /// with the signal's exit status, or stops. If the process goes on afterwards, so does the
    /// monitoring.
    package func takePreviousCourse(of signal: ProcessSignal) -> Course {
        switch MonitoredSignals.previous(of: signal) {
        case nil: return .notMonitored
        case .signalSource: return .leftToProgram
        case .disposition(let disposition):
            if disposition.kind == .standard {
                SignalDisposition.takeDefaultCourse(of: signal)
            } else {
                disposition.take(signal)
            }
            return .taken
        }
    }
}
