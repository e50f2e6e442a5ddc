// SPDX-License-Identifier: MIT

import CacheStoreProcess
import Dispatch
import Foundation
import Synchronization
import Testing

/// How often the program's own C handler ran; a C function can capture nothing.
private let handlerRuns = Atomic<Int>(0)

/// What came to a monitor in a test.
private final class Inbox: Sendable {
    private let arrived = DispatchSemaphore(value: 0)
    private let signals = Box<[ProcessSignal]>([])

    func put(_ signal: ProcessSignal) {
        signals.update { $0.append(signal) }
        arrived.signal()
    }

    /// Returns the next signal, or `nil` when none comes; the wait ends as soon as one is there.
    func next(within seconds: Int = 20) -> ProcessSignal? {
        guard arrived.wait(timeout: .now() + .seconds(seconds)) == .success else { return nil }
        return signals.update { $0.removeFirst() }
    }
}

private func send(_ signal: ProcessSignal) { kill(getpid(), signal.rawValue) }

/// Each body runs in a process of its own, for signals are the process's.
@Suite struct SignalMonitorTests {
    @Test func `a monitored signal comes to the handler and does not end the process`() async {
        await #expect(processExitsWith: .exitCode(3)) {
            let inbox = Inbox()
            let monitor = SignalMonitor(signals: [.terminate, .interrupt], handler: inbox.put)
            monitor.start()
            send(.terminate)
            guard inbox.next() == .terminate else { exit(10) }
            send(.interrupt)
            guard inbox.next() == .interrupt else { exit(11) }
            exit(3)
        }
    }

    @Test func `the handler runs while every other thread is blocked`() async {
        await #expect(processExitsWith: .exitCode(3)) {
            let monitor = SignalMonitor(signals: [.terminate]) { _ in _exit(3) }
            monitor.start()
            let never = DispatchSemaphore(value: 0)
            DispatchQueue.main.async { never.wait() }
            for _ in 0..<100 { DispatchQueue.global().async { never.wait() } }
            send(.terminate)
            _ = never.wait(timeout: .now() + .seconds(20))
            _exit(10)
        }
    }

    @Test func `the default course ends the process by the signal`() async {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            let inbox = Inbox()
            let monitor = SignalMonitor(signals: [.terminate], handler: inbox.put)
            monitor.start()
            send(.terminate)
            guard inbox.next() == .terminate else { exit(10) }
            _ = monitor.takePreviousCourse(of: .terminate)
            exit(11)
        }
    }

    @Test func `the default course can be taken on the monitor's queue`() async {
        await #expect(processExitsWith: .signal(SIGINT)) {
            let monitor = SignalMonitor(signals: [.interrupt]) { signal in
                SignalDisposition.takeDefaultCourse(of: signal)
            }
            monitor.start()
            send(.interrupt)
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .seconds(20))
            exit(10)
        }
    }

    @Test func `a signal that was ignored at the start stays ignored`() async {
        await #expect(processExitsWith: .exitCode(3)) {
            signal(SIGHUP, SIG_IGN)
            let inbox = Inbox()
            let monitor = SignalMonitor(signals: [.hangUp, .terminate], handler: inbox.put)
            monitor.start()
            guard monitor.ignoredSignals == [.hangUp] else { exit(10) }
            send(.hangUp)
            send(.terminate)
            guard inbox.next() == .terminate else { exit(11) }
            guard monitor.takePreviousCourse(of: .hangUp) == .notMonitored else { exit(12) }
            monitor.stop()
            send(.hangUp)
            exit(SignalDisposition.current(of: .hangUp).kind == .ignored ? 3 : 13)
        }
    }

    @Test func `the program's own handler is the previous course`() async {
        await #expect(processExitsWith: .exitCode(3)) {
            signal(SIGTERM) { _ in handlerRuns.add(1, ordering: .relaxed) }
            let inbox = Inbox()
            let monitor = SignalMonitor(signals: [.terminate], handler: inbox.put)
            monitor.start()
            send(.terminate)
            guard inbox.next() == .terminate else { exit(10) }
            guard handlerRuns.load(ordering: .relaxed) == 0 else { exit(11) }
            guard monitor.takePreviousCourse(of: .terminate) == .taken else { exit(12) }
            guard handlerRuns.load(ordering: .relaxed) == 1 else { exit(13) }
            // The handler returned, and the monitoring goes on.
            send(.terminate)
            guard inbox.next() == .terminate else { exit(14) }
            exit(handlerRuns.load(ordering: .relaxed) == 1 ? 3 : 15)
        }
    }

    @Test func `a handler that wants to know the sender gets it`() async {
        await #expect(processExitsWith: .exitCode(3)) {
            var action = sigaction()
            action.sa_flags = SA_SIGINFO
            action.__sigaction_handler.sa_sigaction = { _, information, _ in
                _exit(information?.pointee.si_signo == SIGTERM ? 3 : 10)
            }
            sigaction(SIGTERM, &action, nil)
            let monitor = SignalMonitor(signals: [.terminate]) { _ in }
            monitor.start()
            _ = monitor.takePreviousCourse(of: .terminate)
            exit(11)
        }
    }

    @Test func `stopping puts the program's handler back`() async {
        await #expect(processExitsWith: .exitCode(3)) {
            signal(SIGTERM) { _ in _exit(3) }
            let monitor = SignalMonitor(signals: [.terminate]) { _ in _exit(10) }
            monitor.start()
            monitor.stop()
            send(.terminate)
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .seconds(20))
            exit(11)
        }
    }

    @Test func `stopping puts the default course back`() async {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            let monitor = SignalMonitor(signals: [.terminate]) { _ in _exit(10) }
            monitor.start()
            monitor.stop()
            send(.terminate)
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .seconds(20))
            exit(11)
        }
    }

    @Test func `a monitor that goes away puts the default course back`() async {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            do {
                let monitor = SignalMonitor(signals: [.terminate]) { _ in _exit(10) }
                monitor.start()
            }
            send(.terminate)
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .seconds(20))
            exit(11)
        }
    }

    @Test func `monitoring can start again after it was stopped`() async {
        await #expect(processExitsWith: .exitCode(3)) {
            let inbox = Inbox()
            let monitor = SignalMonitor(signals: [.terminate], handler: inbox.put)
            for _ in 0..<3 {
                monitor.start()
                send(.terminate)
                guard inbox.next() == .terminate else { exit(10) }
                monitor.stop()
                guard SignalDisposition.current(of: .terminate).kind == .standard else { exit(11) }
            }
            exit(3)
        }
    }

    @Test func `two monitors both hear of a signal, and the last one puts things back`() async {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            let (first, second) = (Inbox(), Inbox())
            let a = SignalMonitor(signals: [.terminate], handler: first.put)
            let b = SignalMonitor(signals: [.terminate], handler: second.put)
            a.start()
            b.start()
            send(.terminate)
            guard first.next() == .terminate, second.next() == .terminate else { exit(10) }
            a.stop()
            send(.terminate)
            guard second.next() == .terminate else { exit(11) }
            b.stop()
            send(.terminate)
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .seconds(20))
            exit(12)
        }
    }

    @Test func `a signal source of the program hears of the signal too, and keeps it`() async {
        await #expect(processExitsWith: .exitCode(3)) {
            let (own, inbox) = (Inbox(), Inbox())
            let source = DispatchSource.makeSignalSource(
                signal: SIGTERM, queue: DispatchQueue(label: "own"))
            let registered = DispatchSemaphore(value: 0)
            source.setRegistrationHandler { registered.signal() }
            source.setEventHandler { own.put(.terminate) }
            source.activate()
            registered.wait()
            let monitor = SignalMonitor(signals: [.terminate], handler: inbox.put)
            monitor.start()
            send(.terminate)
            guard own.next() == .terminate, inbox.next() == .terminate else { exit(10) }
            guard monitor.takePreviousCourse(of: .terminate) == .leftToProgram else { exit(11) }
            monitor.stop()
            send(.terminate)
            guard own.next() == .terminate else { exit(12) }
            source.cancel()
            exit(3)
        }
    }

    @Test func `monitoring works after a source of the program has come and gone`() async {
        await #expect(processExitsWith: .exitCode(3)) {
            let source = DispatchSource.makeSignalSource(
                signal: SIGTERM, queue: DispatchQueue(label: "own"))
            let done = DispatchSemaphore(value: 0)
            source.setRegistrationHandler { done.signal() }
            source.setCancelHandler { done.signal() }
            source.activate()
            done.wait()
            source.cancel()
            done.wait()
            signal(SIGTERM, SIG_DFL)
            let inbox = Inbox()
            let monitor = SignalMonitor(signals: [.terminate], handler: inbox.put)
            monitor.start()
            send(.terminate)
            guard inbox.next() == .terminate else { exit(10) }
            monitor.stop()
            exit(SignalDisposition.current(of: .terminate).kind == .standard ? 3 : 11)
        }
    }

    @Test func `a signal that nobody can hear is a mistake of the program`() async {
        await #expect(processExitsWith: .failure) {
            _ = SignalMonitor(signals: [ProcessSignal(rawValue: SIGKILL)]) { _ in }
        }
    }
}
