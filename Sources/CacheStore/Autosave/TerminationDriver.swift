// SPDX-License-Identifier: MIT

import CacheStoreProcess
import Dispatch
import Foundation
import Synchronization

/// Saves all managers of the process before a signal takes its course, and at exit.
///
/// One for the process, because signals are the process's. What is done when is decided by a
/// ``TerminationStateMachine``; this does it. Nothing here waits for the main thread:
///
/// - signals come on the queue of a monitor, which only passes them on;
/// - the machine is told under a lock, and what it wants is done on queues with threads of their own;
/// - the main thread is asked by its queue, and has nothing to do any more when it comes too late.
final class TerminationDriver: Sendable {
    static let shared = TerminationDriver()

    private struct Client {
        weak var manager: PersistentStoreManager?
        let autosave: PersistentStoreManager.Autosave
    }

    private struct State {
        var machine = TerminationStateMachine()
        var clients: [Client] = []
        var watched: Set<ProcessSignal> = []
        var monitors: [SignalMonitor] = []
        var watchesExit = false
    }

    private let state = Mutex(State())
    private let process = ForkGuard()
    /// Where signals take their course and time passes; serial, with a thread of its own.
    private let queue = DispatchQueue(label: "cachestore.termination", qos: .userInteractive)
    /// Where is saved when the main thread does not answer.
    private let emergencyQueue = DispatchQueue(label: "cachestore.emergency", qos: .userInteractive)

    // MARK: - Managers

    /// Takes a manager in, if it wants to be saved at the end; does nothing when it is in.
    func add(_ manager: PersistentStoreManager) {
        let autosave = manager.configuration.autosave
        guard autosave.isEnabled else { return }
        let signals = autosave.signals.filter(\.canBeMonitored)
        let (monitor, watchExit) = state.withLock { state in
            state.clients.removeAll { $0.manager == nil }
            guard !state.clients.contains(where: { $0.manager === manager }) else {
                return (SignalMonitor?.none, false)
            }
            state.clients.append(Client(manager: manager, autosave: autosave))
            if state.machine.isIdle {
                state.machine = TerminationStateMachine(
                    configuration: Self.times(for: state.clients.map(\.autosave)))
            }
            let watchExit = autosave.savesAtExit && !state.watchesExit
            if watchExit { state.watchesExit = true }
            let new = signals.subtracting(state.watched)
            guard !new.isEmpty else { return (nil, watchExit) }
            state.watched.formUnion(new)
            let monitor = SignalMonitor(signals: new) { [unowned self] in received($0) }
            state.monitors.append(monitor)
            return (monitor, watchExit)
        }
        // Not under the lock: both wait for others.
        monitor?.start()
        if watchExit { atexit { TerminationDriver.shared.processExits() } }
        AutosaveTimer.start(for: manager)
    }

    /// Lets a manager go that has been closed.
    func remove(_ manager: PersistentStoreManager) {
        state.withLock { $0.clients.removeAll { $0.manager == nil || $0.manager === manager } }
    }

    /// The most patient manager says how long the main thread has, the most hurried one how long
    /// everything may take.
    private static func times(
        for autosaves: [PersistentStoreManager.Autosave]
    ) -> TerminationStateMachine.Configuration {
        let deadline = ServiceDeadline.resolve(configured: autosaves.compactMap(\.deadline).min())
        var times = TerminationStateMachine.Configuration()
        times.gracePeriod = autosaves.map(\.gracePeriod).max() ?? times.gracePeriod
        times.deadline = deadline.usable
        times.suspensionDeadline = min(times.suspensionDeadline, times.deadline)
        return times
    }

    private func managers(savedAt signal: ProcessSignal) -> [PersistentStoreManager] {
        state.withLock { state in
            state.clients.filter { $0.autosave.signals.contains(signal) }.compactMap(\.manager)
        }
    }

    // MARK: - Events

    private func received(_ signal: ProcessSignal) {
        tell { $0.signalReceived(signal, at: .now) }
    }

    /// Tells the machine of an event, does what it wants, and sees to it that it is woken in time.
    private func tell(_ event: (inout TerminationStateMachine) -> TerminationStateMachine.Action) {
        let (action, wakeUp) = state.withLock { state in
            let action = event(&state.machine)
            return (action, state.machine.nextWakeUp)
        }
        if let wakeUp {
            let wait = max(.zero, ContinuousClock.now.duration(to: wakeUp))
            queue.asyncAfter(deadline: .now() + wait.dispatchInterval) { [self] in
                tell { $0.timerFired(at: .now) }
            }
        }
        perform(action)
    }

    private func perform(_ action: TerminationStateMachine.Action) {
        switch action {
        case .none: break
        case .beginSave(let signal):
            if signal.defaultCourse == .ending {
                let deadline = state.withLock { $0.machine.nextDeadline }
                SystemdNotifier()?.stopping(
                    needing: deadline.map { ContinuousClock.now.duration(to: $0) })
            }
            DispatchQueue.main.async { [self] in saveOnMain(signal) }
        case .emergencySave(let signal):
            emergencyQueue.async { [self] in saveInEmergency(signal) }
        case .takeCourse(let signal, _):
            queue.async { [self] in takeCourse(of: signal) }
        }
    }

    private func saveOnMain(_ signal: ProcessSignal) {
        guard state.withLock({ $0.machine.mainStarted() }) else { return }
        let closing = SignalMonitor.previousCourseEndsProcess(of: signal)
        MainActor.assumeIsolated {
            for manager in managers(savedAt: signal) { manager.saveAtEnd(closing: closing) }
        }
        tell { $0.mainFinished() }
    }

    private func saveInEmergency(_ signal: ProcessSignal) {
        let closing = SignalMonitor.previousCourseEndsProcess(of: signal)
        for manager in managers(savedAt: signal) {
            if signal.defaultCourse == .stopping {
                // The main thread will have its turn after the stop; nothing is lost.
                manager.configuration.log("\(signal): not saved, the main thread does not answer")
            } else {
                manager.saveInEmergency(because: "\(signal)", closing: closing)
            }
        }
        tell { $0.emergencySaveFinished() }
    }

    private func takeCourse(of signal: ProcessSignal) {
        let monitor = state.withLock { state in
            state.monitors.first { $0.signals.contains(signal) }
        }
        _ = monitor?.takePreviousCourse(of: signal)
        state.withLock { $0.machine.courseTaken() }
    }

    // MARK: - Exit

    /// The program calls `exit`, or its main function has returned. Any thread.
    private func processExits() {
        // A forked child has a copy of this, and nothing to save.
        guard !process.isForked else { return }
        let clients = state.withLock { $0.clients }
        let managers = clients.filter(\.autosave.savesAtExit).compactMap(\.manager)
        guard !managers.isEmpty else { return }
        if MainQueue.isCurrent {
            MainActor.assumeIsolated {
                for manager in managers { manager.saveAtEnd(closing: true) }
            }
            return
        }
        let times = Self.times(for: clients.map(\.autosave))
        let turn = MainTurn()
        DispatchQueue.main.async {
            guard turn.begin() else { return }
            MainActor.assumeIsolated {
                for manager in managers { manager.saveAtEnd(closing: true) }
            }
            turn.finish()
        }
        guard !turn.wait(grace: times.gracePeriod, limit: times.deadline) else { return }
        for manager in managers { manager.saveInEmergency(because: "exit", closing: true) }
    }
}
