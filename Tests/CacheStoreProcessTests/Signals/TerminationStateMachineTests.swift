// SPDX-License-Identifier: MIT

import CacheStoreProcess
import Testing

/// The machine behind a reference, for what a test expects is evaluated in a closure.
private final class Machine {
    private var machine: TerminationStateMachine

    init(_ configuration: TerminationStateMachine.Configuration) {
        machine = TerminationStateMachine(configuration: configuration)
    }

    var isIdle: Bool { machine.isIdle }
    var nextWakeUp: ContinuousClock.Instant? { machine.nextWakeUp }

    func signalReceived(
        _ signal: ProcessSignal, at now: ContinuousClock.Instant
    ) -> TerminationStateMachine.Action {
        machine.signalReceived(signal, at: now)
    }

    func timerFired(at now: ContinuousClock.Instant) -> TerminationStateMachine.Action {
        machine.timerFired(at: now)
    }

    func mainStarted() -> Bool { machine.mainStarted() }
    func mainFinished() -> TerminationStateMachine.Action { machine.mainFinished() }
    func emergencySaveFinished() -> TerminationStateMachine.Action {
        machine.emergencySaveFinished()
    }
    func courseTaken() { machine.courseTaken() }
}

@Suite struct TerminationStateMachineTests {
    private let start = ContinuousClock.now
    private let machine = Machine(
        .init(
            gracePeriod: .seconds(2), deadline: .seconds(9), suspensionDeadline: .seconds(3),
            repetitionInterval: .milliseconds(100)))

    private func after(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func `the first signal asks the main thread to save`() {
        #expect(machine.isIdle)
        #expect(machine.nextWakeUp == nil)
        #expect(machine.signalReceived(.terminate, at: start) == .beginSave(.terminate))
        #expect(!machine.isIdle)
        #expect(machine.nextWakeUp == after(2))
    }

    @Test func `a main thread that answers ends the wait`() {
        _ = machine.signalReceived(.terminate, at: start)
        #expect(machine.mainStarted())
        #expect(machine.nextWakeUp == after(9))
        #expect(machine.timerFired(at: after(2)) == .none)
        #expect(machine.mainFinished() == .takeCourse(.terminate, after: .saved))
        #expect(machine.nextWakeUp == nil)
    }

    @Test func `a main thread that does not answer leads to the emergency save`() {
        _ = machine.signalReceived(.interrupt, at: start)
        #expect(machine.timerFired(at: after(1.9)) == .none)
        #expect(machine.timerFired(at: after(2)) == .emergencySave(.interrupt))
        #expect(machine.nextWakeUp == after(9))
        #expect(
            machine.emergencySaveFinished() == .takeCourse(.interrupt, after: .savedInEmergency))
    }

    @Test func `a main thread that comes too late may not begin`() {
        _ = machine.signalReceived(.terminate, at: start)
        _ = machine.timerFired(at: after(2))
        #expect(!machine.mainStarted())
        #expect(machine.mainFinished() == .none)
        #expect(
            machine.emergencySaveFinished() == .takeCourse(.terminate, after: .savedInEmergency))
    }

    @Test func `the deadline ends a save on the main thread`() {
        _ = machine.signalReceived(.terminate, at: start)
        _ = machine.mainStarted()
        #expect(machine.timerFired(at: after(8.9)) == .none)
        #expect(machine.timerFired(at: after(9)) == .takeCourse(.terminate, after: .outOfTime))
        #expect(machine.mainFinished() == .none)
    }

    @Test func `the deadline ends an emergency save`() {
        _ = machine.signalReceived(.terminate, at: start)
        _ = machine.timerFired(at: after(2))
        #expect(machine.timerFired(at: after(9)) == .takeCourse(.terminate, after: .outOfTime))
        #expect(machine.emergencySaveFinished() == .none)
    }

    @Test func `a timer that is very late goes by the deadline`() {
        _ = machine.signalReceived(.terminate, at: start)
        #expect(machine.timerFired(at: after(60)) == .takeCourse(.terminate, after: .outOfTime))
    }

    @Test(arguments: [0, 1, 2])
    func `a second signal ends the wait in every phase`(phase: Int) {
        _ = machine.signalReceived(.terminate, at: start)
        if phase == 1 { _ = machine.mainStarted() }
        if phase == 2 { _ = machine.timerFired(at: after(2)) }
        #expect(
            machine.signalReceived(.interrupt, at: after(3))
                == .takeCourse(.interrupt, after: .interrupted))
    }

    @Test func `a signal that comes at once after the first is the same request`() {
        _ = machine.signalReceived(.terminate, at: start)
        #expect(machine.signalReceived(.terminate, at: after(0.099)) == .none)
        #expect(
            machine.signalReceived(.terminate, at: after(0.1))
                == .takeCourse(.terminate, after: .interrupted))
    }

    @Test func `a hangup never hurries`() {
        _ = machine.signalReceived(.terminate, at: start)
        #expect(machine.signalReceived(.hangUp, at: after(1)) == .none)
        #expect(machine.mainFinished() == .takeCourse(.terminate, after: .saved))
    }

    @Test func `nothing happens any more when the end has begun`() {
        _ = machine.signalReceived(.terminate, at: start)
        _ = machine.mainFinished()
        #expect(machine.signalReceived(.terminate, at: after(5)) == .none)
        #expect(machine.timerFired(at: after(9)) == .none)
        #expect(machine.mainFinished() == .none)
        #expect(!machine.mainStarted())
    }

    @Test func `events without a signal do nothing`() {
        #expect(machine.mainFinished() == .none)
        #expect(machine.emergencySaveFinished() == .none)
        #expect(machine.timerFired(at: after(9)) == .none)
        #expect(!machine.mainStarted())
        machine.courseTaken()
        #expect(machine.isIdle)
    }

    @Test func `after a stop the next signal is a first one again`() {
        #expect(machine.signalReceived(.suspend, at: start) == .beginSave(.suspend))
        #expect(machine.mainFinished() == .takeCourse(.suspend, after: .saved))
        machine.courseTaken()
        #expect(machine.isIdle)
        #expect(machine.signalReceived(.terminate, at: after(100)) == .beginSave(.terminate))
        #expect(machine.nextWakeUp == after(102))
    }

    @Test func `a stop has its own, shorter deadline`() {
        _ = machine.signalReceived(.suspend, at: start)
        _ = machine.mainStarted()
        #expect(machine.nextWakeUp == after(3))
    }

    @Test func `a signal to end turns a stop into an end`() {
        _ = machine.signalReceived(.suspend, at: start)
        _ = machine.mainStarted()
        #expect(machine.signalReceived(.terminate, at: after(1)) == .none)
        #expect(machine.nextWakeUp == after(10))
        #expect(machine.mainFinished() == .takeCourse(.terminate, after: .saved))
    }

    @Test func `a signal to stop is dropped while the process is ending`() {
        _ = machine.signalReceived(.terminate, at: start)
        #expect(machine.signalReceived(.suspend, at: after(1)) == .none)
        #expect(machine.mainFinished() == .takeCourse(.terminate, after: .saved))
    }

    @Test func `a second signal to stop stops at once`() {
        _ = machine.signalReceived(.suspend, at: start)
        #expect(
            machine.signalReceived(.suspend, at: after(1))
                == .takeCourse(.suspend, after: .interrupted))
    }

    @Test func `without a grace period the emergency save comes at once`() {
        let machine = Machine(.init(gracePeriod: .zero))
        #expect(machine.signalReceived(.terminate, at: start) == .emergencySave(.terminate))
    }

    @Test func `a grace period longer than the deadline ends with it`() {
        let machine = Machine(.init(gracePeriod: .seconds(60), deadline: .seconds(5)))
        _ = machine.signalReceived(.terminate, at: start)
        #expect(machine.nextWakeUp == after(5))
        #expect(machine.timerFired(at: after(5)) == .takeCourse(.terminate, after: .outOfTime))
    }
}
