// SPDX-License-Identifier: MIT

/// Which step follows which when a store is opened. It does nothing itself: each call tells the
/// next action, and what came of it is the next event.
///
/// 1. Lock: exclusively if nobody uses the store, else shared.
/// 2. Inspect without SQLite. Nothing there → create. Not ours → set aside, create.
/// 3. Open and read the meta table. Damage is confirmed once, on a new connection.
/// 4. Verify by policy, where this process is alone with the store; deeply where damage was seen
///    before, or where another program has written to it: then seal its pages again.
/// 5. Compare the model: the same → check that the tables are there; else migrate.
/// 6. Damaged or unmigratable → quarantine, reset, create. At most once. By policy a damaged store
///    is salvaged instead, never one whose migration failed: then read on at 3. Where there is no new
///    store in the end, what was kept is put back.
/// 7. Share the lock.
///
/// What changes the store as a whole is announced first, and may be refused: see ``HealingGuard``.
///
/// Whatever changes the store as a whole needs the exclusive lock; to create or heal it beside others
/// who have it open, the lock that keeps writers out is enough. Who finds that out under a shared
/// lock starts again from the inspection once it has the other, for the store may be another by then.
struct StoreOpeningStateMachine: Sendable {
    enum Intent: Sendable, Hashable {
        case open
        /// Empties the store, whatever it has.
        case reset
    }

    enum Action: Sendable, Hashable {
        /// Exclusively at once or else shared; the latter with a bounded wait.
        case lock
        /// With a bounded wait.
        case lockExclusively
        /// Exclusively at once, or else the lock that keeps writers out, with a bounded wait.
        case lockToHeal
        case inspect
        case openDatabase
        case readMeta
        case verify
        /// The indexes too.
        case verifyDeeply
        /// Gives all pages their checksum.
        case seal
        case checkSchema
        case migrate
        /// Writes down what comes next, if it may come.
        case announce(HealingRecord.Step, because: StoreOpenReport.Cause)
        /// Copies the files where the policy wants them kept.
        case quarantine
        /// Moves the files away, always.
        case setAside
        case salvage
        case reset
        case create
        /// Brings back what was kept, for there is no new store to take its place.
        case putBack
        case shareLock
        case finish
        /// With this code, where no error came with the event.
        case fail(PersistentStoreError.Code)
    }

    /// What speaks against taking a store as it is.
    struct Doubt: Sendable, Hashable {
        /// In an earlier session, and the store has not been checked since.
        var damageWasSeen = false
        /// Pages may lack the checksum of their content.
        var anotherProgramWrote = false
        /// The store was made, and whoever made it ended before it was used or closed: perhaps before
        /// anybody was told that it is new.
        var isUnused = false
    }

    enum Meta: Sendable, Hashable {
        case ours(fingerprintMatches: Bool, isClean: Bool, doubt: Doubt = Doubt())
        case empty
        case foreign
        case newer
        /// Parts are missing, or the log belongs to another store.
        case inconsistent
    }

    enum Event: Sendable, Hashable {
        case locked(isExclusive: Bool)
        /// Others have the store open, but do not write.
        case lockedBesideOthers
        case inspected(FileInspection.Content)
        case opened
        case meta(Meta)
        case verified(StoreOpenReport.Verification)
        case schema(isIntact: Bool)
        case announced(isPermitted: Bool)
        case migrated
        case unmigratable(String)
        case done
        /// Also in the place of a creation, where another process had salvaged the store, and ended.
        case salvaged
        /// There was nothing to make a store of.
        case unsalvageable
        /// An error that says the file is damaged.
        case damaged(isDatabase: Bool)
        /// An error that says nothing about the content of the file.
        case failed
    }

    private enum State: Sendable {
        case idle, locking, inspecting, opening, readingMeta, verifying, sealing, checkingSchema
        case announcing, migrating, quarantining, salvaging, settingAside, resetting, creating
        case puttingBack, sharing, ended
    }

    private let intent: Intent
    private let verification: VerificationPolicy.Schedule
    private let isReadOnly: Bool
    private let salvages: Bool
    private var state = State.idle
    private var isExclusive = false
    /// Whether the others who have the store open are kept from writing.
    private var isBesideOthers = false
    private var fingerprintMatches = false
    private var hasReopened = false
    private var hasReset = false
    private var hasSalvaged = false
    private var isToBeSalvaged = false
    private var isToBeSealed = false
    /// What was announced.
    private var announced: (state: State, action: Action)?
    /// How the opening ends once everything is put back.
    private var failure = PersistentStoreError.Code.unavailable

    private(set) var outcome = StoreOpenReport.Outcome.opened
    private(set) var cause = StoreOpenReport.Cause.none
    private(set) var wasUnclean = false
    private(set) var hasMigrated = false
    private(set) var wasChangedByAnotherProgram = false
    private(set) var verified = StoreOpenReport.Verification.none

    init(
        intent: Intent = .open,
        verification: VerificationPolicy.Schedule = .afterUncleanShutdown,
        isReadOnly: Bool = false, salvages: Bool = false
    ) {
        self.intent = intent
        self.verification = verification
        self.isReadOnly = isReadOnly
        self.salvages = salvages
    }

    mutating func start() -> Action {
        if intent == .reset && isReadOnly { return end(.fail(.readOnly)) }
        state = .locking
        return intent == .reset ? .lockExclusively : .lock
    }

    /// Takes what came of the last action, and returns the next.
    mutating func handle(_ event: Event) -> Action {
        switch (state, event) {
        case (.locking, .locked(let isExclusive)):
            self.isExclusive = isExclusive
            return go(.inspecting, .inspect)
        case (.locking, .lockedBesideOthers):
            isBesideOthers = true
            return go(.inspecting, .inspect)
        case (.inspecting, .inspected(let content)): return inspected(content)
        case (.opening, .opened): return go(.readingMeta, .readMeta)
        case (.readingMeta, .meta(let meta)): return read(meta)
        case (.verifying, .verified(let result)):
            verified = result
            if result == .failed { return heal(.damaged) }
            return isToBeSealed && result == .passed ? go(.sealing, .seal) : compareModel()
        case (.sealing, .done): return compareModel()
        case (.checkingSchema, .schema(let isIntact)):
            return isIntact ? share() : heal(.damaged)
        case (.announcing, .announced(let isPermitted)):
            guard isPermitted, let next = announced else { return end(.fail(.crashLoop)) }
            return go(next.state, next.action)
        case (.migrating, .migrated):
            hasMigrated = true
            // Why it was salvaged is more than that it was then brought to another model; and a store
            // that nobody was told of is new, whatever its tables were.
            if !hasSalvaged && cause != .interrupted {
                outcome = .migrated
                cause = .modelChanged
            }
            return share()
        case (.migrating, .unmigratable(let reason)): return heal(.unmigratable(reason))
        case (.quarantining, .done):
            return isToBeSalvaged ? go(.salvaging, .salvage) : go(.resetting, .reset)
        case (.salvaging, .salvaged): return salvaged(cause)
        // There was a complete one, that only had to be copied.
        case (.creating, .salvaged): return salvaged(.damaged)
        case (.salvaging, .unsalvageable): return go(.resetting, .reset)
        case (.settingAside, .done), (.resetting, .done): return go(.creating, .create)
        case (.creating, .done): return share()
        case (.sharing, .done): return end(.finish)
        case (.creating, .failed) where hasReset: return putBack(.unavailable)
        case (.creating, .damaged) where hasReset: return putBack(.damaged)
        case (.puttingBack, _): return end(.fail(failure))
        case (_, .damaged(let isDatabase)): return damaged(isDatabase: isDatabase)
        default: return end(.fail(.unavailable))
        }
    }

    // MARK: Decisions

    private mutating func inspected(_ content: FileInspection.Content) -> Action {
        switch content {
        case .missing: return create(.fileMissing)
        case .empty: return create(.emptyFile)
        case .foreign: return setAside(.foreignFile)
        case .newer: return setAside(.newerFormat)
        case .notADatabase: return heal(intent == .reset ? .requested : .notADatabase)
        case .ours, .unknown:
            return intent == .reset ? heal(.requested) : go(.opening, .openDatabase)
        }
    }

    private mutating func read(_ meta: Meta) -> Action {
        switch meta {
        case .empty: return create(.emptyFile)
        case .foreign: return setAside(.foreignFile)
        case .newer: return setAside(.newerFormat)
        case .inconsistent: return heal(.damaged)
        case .ours(let fingerprintMatches, let isClean, let doubt):
            self.fingerprintMatches = fingerprintMatches
            // While others use the store, its mark tells about them, not about an earlier session.
            wasUnclean = wasUnclean || isExclusive && !isClean
            wasChangedByAnotherProgram = wasChangedByAnotherProgram || doubt.anotherProgramWrote
            if isExclusive && doubt.isUnused && !hasReset && !hasSalvaged {
                outcome = .created
                cause = .interrupted
            }
            if doubt.damageWasSeen && !mayHeal && !isReadOnly {
                return go(.locking, .lockToHeal)
            }
            isToBeSealed = doubt.anotherProgramWrote && isExclusive && !isReadOnly
            let verifiesDeeply =
                mayHeal && doubt.damageWasSeen || isToBeSealed && verification != .never
            if verifiesDeeply { return go(.verifying, .verifyDeeply) }
            let verifies =
                switch verification {
                case .always: true
                case .afterUncleanShutdown: wasUnclean && !hasSalvaged
                case .never: false
                }
            return verifies ? go(.verifying, .verify) : compareModel()
        }
    }

    private mutating func compareModel() -> Action {
        if fingerprintMatches { return go(.checkingSchema, .checkSchema) }
        if isReadOnly { return end(.fail(.unmigratable)) }
        return exclusively {
            $0.announce(.migration, because: .modelChanged, then: (.migrating, .migrate))
        }
    }

    private mutating func damaged(isDatabase: Bool) -> Action {
        switch state {
        case .opening, .readingMeta, .verifying, .sealing, .checkingSchema:
            // What one connection saw may have been a file that was just being written.
            if !hasReopened {
                hasReopened = true
                return go(.opening, .openDatabase)
            }
            if state == .verifying { verified = .failed }
            return heal(isDatabase ? .damaged : .notADatabase)
        case .migrating: return heal(.damaged)
        case .salvaging: return go(.resetting, .reset)
        default: return end(.fail(.damaged))
        }
    }

    private mutating func salvaged(_ cause: StoreOpenReport.Cause) -> Action {
        hasSalvaged = true
        outcome = .salvaged
        self.cause = cause
        return go(.opening, .openDatabase)
    }

    private mutating func create(_ cause: StoreOpenReport.Cause) -> Action {
        if isReadOnly { return end(.fail(.unavailable)) }
        return toHeal { machine in
            // After a reset there is nothing either; why it was reset is what counts.
            machine.outcome = machine.intent == .reset ? .reset : .created
            machine.cause = machine.intent == .reset ? .requested : cause
            return machine.announce(.creation, because: cause, then: (.creating, .create))
        }
    }

    private mutating func setAside(_ cause: StoreOpenReport.Cause) -> Action {
        if isReadOnly { return end(.fail(Self.code(for: cause))) }
        return exclusively {
            $0.replace(cause, as: .setAside, by: (.settingAside, .setAside))
        }
    }

    private mutating func heal(_ cause: StoreOpenReport.Cause) -> Action {
        if isReadOnly { return end(.fail(Self.code(for: cause))) }
        func replaced(_ machine: inout Self) -> Action {
            if machine.hasSalvaged, machine.outcome == .salvaged {
                // What was salvaged cannot be used either.
                machine.outcome = .reset
                return machine.go(.resetting, .reset)
            }
            return machine.intent == .reset
                ? machine.replace(cause, as: .reset, by: (.resetting, .reset))
                : machine.replace(cause, as: .reset, by: (.quarantining, .quarantine))
        }
        // What is only of another model may be in use by programs that have that.
        return cause.unmigratableReason == nil ? toHeal(replaced) : exclusively(replaced)
    }

    private mutating func replace(
        _ cause: StoreOpenReport.Cause, as step: HealingRecord.Step, by next: (State, Action)
    ) -> Action {
        if hasReset { return end(.fail(Self.code(for: cause))) }
        hasReset = true
        outcome = .reset
        self.cause = cause
        isToBeSalvaged =
            salvages && state != .migrating && (cause == .damaged || cause == .notADatabase)
        return announce(step, because: cause, then: next)
    }

    /// What a program asks for itself is not refused.
    private mutating func announce(
        _ step: HealingRecord.Step, because cause: StoreOpenReport.Cause,
        then next: (State, Action)
    ) -> Action {
        if intent == .reset { return go(next.0, next.1) }
        announced = next
        return go(.announcing, .announce(step, because: cause))
    }

    private mutating func putBack(_ code: PersistentStoreError.Code) -> Action {
        failure = code
        return go(.puttingBack, .putBack)
    }

    private mutating func exclusively(_ then: (inout Self) -> Action) -> Action {
        if isExclusive { return then(&self) }
        return go(.locking, .lockExclusively)
    }

    private var mayHeal: Bool { isExclusive || isBesideOthers }

    private mutating func toHeal(_ then: (inout Self) -> Action) -> Action {
        if mayHeal { return then(&self) }
        return go(.locking, .lockToHeal)
    }

    private mutating func share() -> Action { go(.sharing, .shareLock) }

    private mutating func go(_ state: State, _ action: Action) -> Action {
        self.state = state
        return action
    }

    private mutating func end(_ action: Action) -> Action { go(.ended, action) }

    private static func code(for cause: StoreOpenReport.Cause) -> PersistentStoreError.Code {
        if cause == .foreignFile { return .foreignFile }
        if cause == .newerFormat { return .newerFormat }
        return cause.unmigratableReason == nil ? .damaged : .unmigratable
    }
}
