// SPDX-License-Identifier: MIT

/// Decides what is done between a signal and the end of the process, and when.
///
/// The machine does nothing itself and knows no time but what it is told: whoever drives it tells
/// it each event, does the action that comes back, and tells it again when ``nextWakeUp`` has come.
///
/// 1. The first signal asks the main thread to save.
/// 2. The main thread begins within the grace period, and finishes: the signal takes its course.
/// 3. Or it does not begin: the thread of the signals saves without it, in an emergency save.
/// 4. A second signal of a person in a hurry, or the deadline, ends the wait: the signal takes its
///    course at once. What is half written then is undone when the file is next opened.
package struct TerminationStateMachine: Sendable {
    /// The times that the machine goes by.
    package struct Configuration: Sendable, Hashable {
        /// How long the main thread has to begin.
        package var gracePeriod: Duration
        /// How long everything may take before the process ends.
        package var deadline: Duration
        /// How long everything may take before the process stops, for Ctrl-Z.
        package var suspensionDeadline: Duration
        /// How soon after the first signal another one counts as the same request. Service managers,
        /// shells and wrappers send several signals at a time; no person is as quick.
        package var repetitionInterval: Duration

        package init(
            gracePeriod: Duration = .seconds(2), deadline: Duration = .seconds(9),
            suspensionDeadline: Duration = .seconds(3),
            repetitionInterval: Duration = .milliseconds(100)
        ) {
            self.gracePeriod = gracePeriod
            self.deadline = deadline
            self.suspensionDeadline = suspensionDeadline
            self.repetitionInterval = repetitionInterval
        }
    }

    /// How the wait for a save ended.
    package enum Ending: Sendable, Hashable {
        /// The main thread has saved.
        case saved
        /// The emergency save has been made.
        case savedInEmergency
        /// Another signal ended the wait.
        case interrupted
        /// The deadline ended the wait.
        case outOfTime
    }

    /// What the driver has to do.
    package enum Action: Sendable, Hashable {
        /// Nothing.
        case none
        /// Ask the main thread to save.
        case beginSave(ProcessSignal)
        /// Save from this thread, without the main thread.
        case emergencySave(ProcessSignal)
        /// Let the signal take its course.
        case takeCourse(ProcessSignal, after: Ending)
    }

    private struct Request: Sendable {
        var signal: ProcessSignal
        var received: ContinuousClock.Instant
        var graceEnds: ContinuousClock.Instant
        var deadline: ContinuousClock.Instant
    }

    private enum State: Sendable {
        case idle
        case awaitingMain(Request)
        case savingOnMain(Request)
        case savingInEmergency(Request)
        case finished
    }

    private let configuration: Configuration
    private var state = State.idle

    package init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// When everything must be done for the signal that is being dealt with.
    package var nextDeadline: ContinuousClock.Instant? {
        switch state {
        case .awaitingMain(let request), .savingOnMain(let request),
            .savingInEmergency(let request):
            request.deadline
        case .idle, .finished: nil
        }
    }

    /// When ``timerFired(at:)`` is due; it may change with each event.
    package var nextWakeUp: ContinuousClock.Instant? {
        switch state {
        case .awaitingMain(let request): min(request.graceEnds, request.deadline)
        case .savingOnMain(let request), .savingInEmergency(let request): request.deadline
        case .idle, .finished: nil
        }
    }

    /// Whether no signal is being dealt with.
    package var isIdle: Bool {
        if case .idle = state { true } else { false }
    }

    /// A signal has come.
    package mutating func signalReceived(
        _ signal: ProcessSignal, at now: ContinuousClock.Instant
    ) -> Action {
        switch state {
        case .idle:
            let request = request(for: signal, at: now)
            guard request.graceEnds > now else {
                state = .savingInEmergency(request)
                return .emergencySave(signal)
            }
            state = .awaitingMain(request)
            return .beginSave(signal)
        case .awaitingMain(let request):
            return repeated(signal, request, at: now) { .awaitingMain($0) }
        case .savingOnMain(let request):
            return repeated(signal, request, at: now) { .savingOnMain($0) }
        case .savingInEmergency(let request):
            return repeated(signal, request, at: now) { .savingInEmergency($0) }
        case .finished:
            return .none
        }
    }

    /// The main thread is about to save; returns whether it shall. Too late, it must not begin.
    package mutating func mainStarted() -> Bool {
        guard case .awaitingMain(let request) = state else { return false }
        state = .savingOnMain(request)
        return true
    }

    /// The main thread has saved, or has failed and reported it.
    package mutating func mainFinished() -> Action {
        switch state {
        case .awaitingMain(let request), .savingOnMain(let request):
            return finish(request.signal, after: .saved)
        case .idle, .savingInEmergency, .finished:
            return .none
        }
    }

    /// The emergency save has been made, or has failed and been reported.
    package mutating func emergencySaveFinished() -> Action {
        guard case .savingInEmergency(let request) = state else { return .none }
        return finish(request.signal, after: .savedInEmergency)
    }

    /// The time of ``nextWakeUp`` has come; a timer that fires early or late does no harm.
    package mutating func timerFired(at now: ContinuousClock.Instant) -> Action {
        switch state {
        case .awaitingMain(let request), .savingOnMain(let request),
            .savingInEmergency(let request):
            if now >= request.deadline { return finish(request.signal, after: .outOfTime) }
            guard case .awaitingMain = state, now >= request.graceEnds else { return .none }
            state = .savingInEmergency(request)
            return .emergencySave(request.signal)
        case .idle, .finished:
            return .none
        }
    }

    /// The signal took its course and the process still runs: it went on after a stop, or the
    /// program's own handler returned. The next signal is a first one again.
    package mutating func courseTaken() {
        if case .finished = state { state = .idle }
    }

    private func request(
        for signal: ProcessSignal, at now: ContinuousClock.Instant
    ) -> Request {
        let isStop = signal.defaultCourse == .stopping
        let limit = isStop ? configuration.suspensionDeadline : configuration.deadline
        let grace = min(configuration.gracePeriod, limit)
        return Request(
            signal: signal, received: now, graceEnds: now + grace, deadline: now + limit)
    }

    private mutating func finish(_ signal: ProcessSignal, after ending: Ending) -> Action {
        state = .finished
        return .takeCourse(signal, after: ending)
    }

    /// Deals with a signal that comes while an earlier one is being dealt with.
    private mutating func repeated(
        _ signal: ProcessSignal, _ request: Request, at now: ContinuousClock.Instant,
        in phase: (Request) -> State
    ) -> Action {
        let wasStop = request.signal.defaultCourse == .stopping
        let isStop = signal.defaultCourse == .stopping
        if wasStop && !isStop {
            // The save that has begun will do, but the process is to end after it, not to stop.
            var ending = request
            ending.signal = signal
            ending.received = now
            ending.deadline = now + configuration.deadline
            state = phase(ending)
            return .none
        }
        // A process that is about to end need not stop first.
        if isStop && !wasStop { return .none }
        // A hangup is a fact, not impatience: shell and kernel both report it, and systemd may send
        // one right after its SIGTERM.
        if signal == .hangUp { return .none }
        if now - request.received < configuration.repetitionInterval { return .none }
        return finish(signal, after: .interrupted)
    }
}
