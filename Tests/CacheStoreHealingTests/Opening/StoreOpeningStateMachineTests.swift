// SPDX-License-Identifier: MIT

import Testing

@testable import CacheStoreHealing

@Suite struct StoreOpeningStateMachineTests {
    typealias Machine = StoreOpeningStateMachine

    static let same = Machine.Event.meta(.ours(fingerprintMatches: true, isClean: true))
    static let unclean = Machine.Event.meta(.ours(fingerprintMatches: true, isClean: false))
    static let permitted = Machine.Event.announced(isPermitted: true)
    static let otherModel = Machine.Event.meta(.ours(fingerprintMatches: false, isClean: true))

    /// Feeds the events, checks that each action is the expected one, and returns the machine.
    @discardableResult
    private func follow(
        _ machine: Machine, _ path: [(Machine.Event?, Machine.Action)],
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Machine {
        var machine = machine
        for (event, action) in path {
            let next = event.map { machine.handle($0) } ?? machine.start()
            #expect(next == action, sourceLocation: sourceLocation)
        }
        return machine
    }

    @discardableResult
    private func follow(
        _ path: [(Machine.Event?, Machine.Action)],
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Machine {
        follow(Machine(), path, sourceLocation: sourceLocation)
    }

    private static let opening: [(Machine.Event?, Machine.Action)] = [
        (nil, .lock), (.locked(isExclusive: true), .inspect), (.inspected(.ours), .openDatabase),
        (.opened, .readMeta),
    ]

    @Test func `a clean store of the same model is opened and nothing else`() {
        let machine = follow(
            Self.opening + [
                (Self.same, .checkSchema), (.schema(isIntact: true), .shareLock), (.done, .finish),
            ])
        #expect(machine.outcome == .opened)
        #expect(machine.cause == .none)
    }

    private static func doubtful(
        _ doubt: Machine.Doubt, isClean: Bool = true
    ) -> Machine.Event {
        .meta(.ours(fingerprintMatches: true, isClean: isClean, doubt: doubt))
    }

    @Test func `a store that another program has written to is checked and sealed`() {
        let machine = follow(
            Self.opening + [
                (Self.doubtful(.init(anotherProgramWrote: true)), .verifyDeeply),
                (.verified(.passed), .seal), (.done, .checkSchema),
                (.schema(isIntact: true), .shareLock), (.done, .finish),
            ])
        #expect(machine.outcome == .opened)
        #expect(machine.wasChangedByAnotherProgram)
    }

    @Test func `a store that nobody has used since it was made is told to be new`() {
        let machine = follow(
            Self.opening + [
                (Self.doubtful(.init(isUnused: true), isClean: false), .verify),
                (.verified(.passed), .checkSchema), (.schema(isIntact: true), .shareLock),
                (.done, .finish),
            ])
        #expect(machine.outcome == .created)
        #expect(machine.cause == .interrupted)
    }

    @Test func `what was not checked to its end is not sealed`() {
        follow(
            Self.opening + [
                (Self.doubtful(.init(anotherProgramWrote: true)), .verifyDeeply),
                (.verified(.incomplete), .checkSchema),
            ])
    }

    @Test func `damage that was seen is looked for whatever the policy says`() {
        let machine = follow(
            Machine(verification: .never),
            Self.opening + [
                (Self.doubtful(.init(damageWasSeen: true)), .verifyDeeply),
                (.damaged(isDatabase: true), .openDatabase), (.opened, .readMeta),
                (Self.doubtful(.init(damageWasSeen: true)), .verifyDeeply),
                (.damaged(isDatabase: true), .announce(.reset, because: .damaged)),
                (Self.permitted, .quarantine), (.done, .reset), (.done, .create),
                (.done, .shareLock), (.done, .finish),
            ])
        #expect(machine.outcome == .reset)
        #expect(machine.verified == .failed)
    }

    @Test func `under a shared lock nothing is checked or sealed`() {
        follow([
            (nil, .lock), (.locked(isExclusive: false), .inspect),
            (.inspected(.unknown), .openDatabase), (.opened, .readMeta),
            (Self.doubtful(.init(anotherProgramWrote: true)), .checkSchema),
        ])
    }

    private static let joining: [(Machine.Event?, Machine.Action)] = [
        (nil, .lock), (.locked(isExclusive: false), .inspect),
        (.inspected(.unknown), .openDatabase), (.opened, .readMeta),
    ]

    @Test func `damage that was seen is healed beside others who have the store open`() {
        let seen = Self.doubtful(.init(damageWasSeen: true), isClean: false)
        let machine = follow(
            Self.joining + [
                (seen, .lockToHeal), (.lockedBesideOthers, .inspect),
                (.inspected(.ours), .openDatabase), (.opened, .readMeta), (seen, .verifyDeeply),
                (.damaged(isDatabase: true), .openDatabase), (.opened, .readMeta),
                (seen, .verifyDeeply),
                (.damaged(isDatabase: true), .announce(.reset, because: .damaged)),
                (.announced(isPermitted: true), .quarantine), (.done, .reset), (.done, .create),
                (.done, .shareLock), (.done, .finish),
            ])
        #expect(machine.outcome == .reset)
        #expect(!machine.wasUnclean)
    }

    @Test func `who waits to heal takes what another has healed meanwhile`() {
        let machine = follow(
            Self.joining + [
                (.damaged(isDatabase: true), .openDatabase), (.opened, .readMeta),
                (.damaged(isDatabase: true), .lockToHeal), (.lockedBesideOthers, .inspect),
                (.inspected(.ours), .openDatabase), (.opened, .readMeta),
                (Self.same, .checkSchema), (.schema(isIntact: true), .shareLock), (.done, .finish),
            ])
        #expect(machine.outcome == .opened)
    }

    @Test func `a store of another model is not reset under those who use it`() {
        follow(
            Self.joining + [
                (Self.otherModel, .lockExclusively), (.locked(isExclusive: true), .inspect),
                (.inspected(.ours), .openDatabase), (.opened, .readMeta),
                (Self.otherModel, .announce(.migration, because: .modelChanged)),
            ])
    }

    @Test(arguments: [
        (FileInspection.Content.missing, StoreOpenReport.Cause.fileMissing),
        (.empty, .emptyFile),
    ])
    func `nothing there is created`(
        content: FileInspection.Content, cause: StoreOpenReport.Cause
    ) {
        let machine = follow([
            (nil, .lock), (.locked(isExclusive: true), .inspect),
            (.inspected(content), .announce(.creation, because: cause)), (Self.permitted, .create),
            (.done, .shareLock), (.done, .finish),
        ])
        #expect(machine.outcome == .created)
        #expect(machine.cause == cause)
    }

    @Test func `creating under a shared lock takes the exclusive one and looks again`() {
        let machine = follow([
            (nil, .lock), (.locked(isExclusive: false), .inspect),
            (.inspected(.missing), .lockToHeal), (.locked(isExclusive: true), .inspect),
            (.inspected(.ours), .openDatabase), (.opened, .readMeta), (Self.same, .checkSchema),
            (.schema(isIntact: true), .shareLock), (.done, .finish),
        ])
        #expect(machine.outcome == .opened)
    }

    @Test(arguments: [
        (FileInspection.Content.foreign, StoreOpenReport.Cause.foreignFile),
        (.newer(version: 2), .newerFormat),
    ])
    func `what is not ours is set aside and a store created`(
        content: FileInspection.Content, cause: StoreOpenReport.Cause
    ) {
        let machine = follow([
            (nil, .lock), (.locked(isExclusive: true), .inspect),
            (.inspected(content), .announce(.setAside, because: cause)),
            (Self.permitted, .setAside), (.done, .create), (.done, .shareLock), (.done, .finish),
        ])
        #expect(machine.outcome == .reset)
        #expect(machine.cause == cause)
    }

    @Test func `what is no database is kept and reset`() {
        let machine = follow([
            (nil, .lock), (.locked(isExclusive: true), .inspect),
            (.inspected(.notADatabase), .announce(.reset, because: .notADatabase)),
            (Self.permitted, .quarantine), (.done, .reset), (.done, .create),
            (.done, .shareLock), (.done, .finish),
        ])
        #expect(machine.outcome == .reset)
        #expect(machine.cause == .notADatabase)
    }

    @Test func `damage is confirmed on a new connection before anything is done`() {
        let machine = follow(
            Self.opening + [
                (.damaged(isDatabase: true), .openDatabase), (.opened, .readMeta),
                (.damaged(isDatabase: true), .announce(.reset, because: .damaged)),
                (Self.permitted, .quarantine), (.done, .reset), (.done, .create),
                (.done, .shareLock), (.done, .finish),
            ])
        #expect(machine.cause == .damaged)
    }

    @Test func `damage that a new connection does not see is none`() {
        let machine = follow(
            Self.opening + [
                (.damaged(isDatabase: true), .openDatabase), (.opened, .readMeta),
                (Self.same, .checkSchema), (.schema(isIntact: true), .shareLock),
                (.done, .finish),
            ])
        #expect(machine.outcome == .opened)
    }

    @Test func `a failure that says nothing about the content never heals`() {
        for length in 1...Self.opening.count {
            var machine = follow(Array(Self.opening.prefix(length)))
            #expect(machine.handle(.failed) == .fail(.unavailable))
        }
    }

    @Test func `an unclean store is verified`() {
        let machine = follow(
            Self.opening + [
                (Self.unclean, .verify), (.verified(.passed), .checkSchema),
                (.schema(isIntact: true), .shareLock), (.done, .finish),
            ])
        #expect(machine.wasUnclean)
        #expect(machine.verified == .passed)
    }

    @Test func `a check that finds damage leads to a reset`() {
        let machine = follow(
            Self.opening + [
                (Self.unclean, .verify),
                (.verified(.failed), .announce(.reset, because: .damaged)),
                (Self.permitted, .quarantine), (.done, .reset), (.done, .create),
                (.done, .shareLock), (.done, .finish),
            ])
        #expect(machine.outcome == .reset)
        #expect(machine.verified == .failed)
    }

    @Test func `a check that is not finished in time does not keep the store closed`() {
        follow(
            Self.opening + [
                (Self.unclean, .verify), (.verified(.incomplete), .checkSchema),
            ])
    }

    @Test func `verification goes by the policy`() {
        follow(Machine(verification: .never), Self.opening + [(Self.unclean, .checkSchema)])
        follow(Machine(verification: .always), Self.opening + [(Self.same, .verify)])
    }

    @Test func `a store that others use is not called unclean`() {
        let machine = follow([
            (nil, .lock), (.locked(isExclusive: false), .inspect),
            (.inspected(.unknown), .openDatabase), (.opened, .readMeta),
            (Self.unclean, .checkSchema),
        ])
        #expect(!machine.wasUnclean)
    }

    @Test func `another model is migrated`() {
        let machine = follow(
            Self.opening + [
                (Self.otherModel, .announce(.migration, because: .modelChanged)),
                (Self.permitted, .migrate), (.migrated, .shareLock), (.done, .finish),
            ])
        #expect(machine.outcome == .migrated)
        #expect(machine.cause == .modelChanged)
    }

    @Test func `an unmigratable store is kept and reset with the reason`() {
        let machine = follow(
            Self.opening + [
                (Self.otherModel, .announce(.migration, because: .modelChanged)),
                (Self.permitted, .migrate),
                (.unmigratable("why"), .announce(.reset, because: .unmigratable("why"))),
                (Self.permitted, .quarantine), (.done, .reset), (.done, .create),
                (.done, .shareLock), (.done, .finish),
            ])
        #expect(machine.cause == .unmigratable("why"))
    }

    @Test func `missing tables are damage`() {
        let machine = follow(
            Self.opening + [
                (Self.same, .checkSchema),
                (.schema(isIntact: false), .announce(.reset, because: .damaged)),
            ])
        #expect(machine.cause == .damaged)
    }

    @Test func `a log of another store is damage`() {
        follow(
            Self.opening + [(.meta(.inconsistent), .announce(.reset, because: .damaged))])
    }

    @Test func `what SQLite finds to be empty, foreign or newer is treated so`() {
        follow(
            Self.opening + [(.meta(.empty), .announce(.creation, because: .emptyFile))])
        follow(
            Self.opening + [(.meta(.foreign), .announce(.setAside, because: .foreignFile))])
        follow(
            Self.opening + [(.meta(.newer), .announce(.setAside, because: .newerFormat))])
    }

    @Test func `there is one reset an opening`() {
        var machine = follow(Self.healing)
        #expect(machine.handle(.damaged(isDatabase: true)) == .putBack)
        #expect(machine.handle(.done) == .fail(.damaged))
    }

    private static let healing: [(Machine.Event?, Machine.Action)] = [
        (nil, .lock), (.locked(isExclusive: true), .inspect),
        (.inspected(.notADatabase), .announce(.reset, because: .notADatabase)),
        (permitted, .quarantine), (.done, .reset), (.done, .create),
    ]

    @Test func `where no new store can be made, what was kept is put back`() {
        follow(Self.healing + [(.failed, .putBack), (.done, .fail(.unavailable))])
        // Also where that fails.
        follow(Self.healing + [(.failed, .putBack), (.failed, .fail(.unavailable))])
    }

    @Test func `a creation that fails puts nothing back where nothing was`() {
        follow([
            (nil, .lock), (.locked(isExclusive: true), .inspect),
            (.inspected(.missing), .announce(.creation, because: .fileMissing)),
            (Self.permitted, .create), (.failed, .fail(.unavailable)),
        ])
    }

    @Test func `what is refused is not done`() {
        let refused = Machine.Event.announced(isPermitted: false)
        let start: [(Machine.Event?, Machine.Action)] = [
            (nil, .lock), (.locked(isExclusive: true), .inspect),
        ]
        let end = (Machine.Event?.some(refused), Machine.Action.fail(.crashLoop))
        follow(
            start + [
                (.inspected(.notADatabase), .announce(.reset, because: .notADatabase)), end,
            ])
        follow(
            start + [(.inspected(.missing), .announce(.creation, because: .fileMissing)), end])
        follow(
            start + [(.inspected(.foreign), .announce(.setAside, because: .foreignFile)), end])
        follow(
            Self.opening + [
                (Self.otherModel, .announce(.migration, because: .modelChanged)), end,
            ])
    }

    @Test func `a store opened to be read is never changed`() {
        let machine = Machine(isReadOnly: true)
        let start: [(Machine.Event?, Machine.Action)] = [
            (nil, .lock), (.locked(isExclusive: true), .inspect),
        ]
        follow(machine, start + [(.inspected(.missing), .fail(.unavailable))])
        follow(machine, start + [(.inspected(.foreign), .fail(.foreignFile))])
        follow(machine, start + [(.inspected(.newer(version: 3)), .fail(.newerFormat))])
        follow(machine, start + [(.inspected(.notADatabase), .fail(.damaged))])
        follow(machine, Self.opening + [(Self.otherModel, .fail(.unmigratable))])
        follow(Machine(intent: .reset, isReadOnly: true), [(nil, .fail(.readOnly))])
    }

    @Test func `a requested reset keeps nothing, except what is not ours`() {
        let start: [(Machine.Event?, Machine.Action)] = [
            (nil, .lockExclusively), (.locked(isExclusive: true), .inspect),
        ]
        let machine = follow(
            Machine(intent: .reset),
            start + [
                (.inspected(.ours), .reset), (.done, .create), (.done, .shareLock),
                (.done, .finish),
            ])
        #expect(machine.outcome == .reset)
        #expect(machine.cause == .requested)
        follow(Machine(intent: .reset), start + [(.inspected(.foreign), .setAside)])
        follow(Machine(intent: .reset), start + [(.inspected(.missing), .create)])
    }

    // MARK: Salvage

    private static let salvaging = Machine(verification: .always, salvages: true)
    private static let untilSalvage: [(Machine.Event?, Machine.Action)] =
        opening + [
            (same, .verify), (.verified(.failed), .announce(.reset, because: .damaged)),
            (permitted, .quarantine), (.done, .salvage),
        ]

    @Test func `a damaged store is salvaged where the policy says so, then read as it is`() {
        let machine = follow(
            Self.salvaging,
            Self.untilSalvage + [
                (.salvaged, .openDatabase), (.opened, .readMeta), (Self.same, .verify),
                (.verified(.passed), .checkSchema), (.schema(isIntact: true), .shareLock),
                (.done, .finish),
            ])
        #expect(machine.outcome == .salvaged)
        #expect(machine.cause == .damaged)
    }

    @Test func `what is not a database any more is salvaged as well`() {
        let machine = follow(
            Self.salvaging,
            [
                (nil, .lock), (.locked(isExclusive: true), .inspect),
                (.inspected(.notADatabase), .announce(.reset, because: .notADatabase)),
                (Self.permitted, .quarantine), (.done, .salvage), (.salvaged, .openDatabase),
            ])
        #expect(machine.cause == .notADatabase)
    }

    @Test func `where nothing can be salvaged the store is reset`() {
        let machine = follow(
            Self.salvaging,
            Self.untilSalvage + [
                (.unsalvageable, .reset), (.done, .create), (.done, .shareLock), (.done, .finish),
            ])
        #expect(machine.outcome == .reset)
    }

    @Test func `a salvage that meets damage itself ends in a reset`() {
        follow(Self.salvaging, Self.untilSalvage + [(.damaged(isDatabase: true), .reset)])
    }

    @Test func `a salvage that cannot be done now leaves the store for another time`() {
        follow(Self.salvaging, Self.untilSalvage + [(.failed, .fail(.unavailable))])
    }

    @Test func `a salvaged store that is damaged again is reset, and not salvaged again`() {
        let machine = follow(
            Self.salvaging,
            Self.untilSalvage + [
                (.salvaged, .openDatabase), (.opened, .readMeta), (.meta(.inconsistent), .reset),
                (.done, .create), (.done, .shareLock), (.done, .finish),
            ])
        #expect(machine.outcome == .reset)
        #expect(machine.cause == .damaged)
    }

    @Test func `after a failed migration nothing is salvaged`() {
        let path: [(Machine.Event?, Machine.Action)] =
            Self.opening + [
                (Self.otherModel, .verify),
                (.verified(.passed), .announce(.migration, because: .modelChanged)),
                (Self.permitted, .migrate),
            ]
        follow(
            Self.salvaging,
            path + [
                (.unmigratable("no way"), .announce(.reset, because: .unmigratable("no way"))),
                (Self.permitted, .quarantine), (.done, .reset),
            ])
        follow(
            Self.salvaging,
            path + [
                (.damaged(isDatabase: true), .announce(.reset, because: .damaged)),
                (Self.permitted, .quarantine), (.done, .reset),
            ])
    }

    @Test func `a salvaged store of an older model is migrated and stays salvaged`() {
        let machine = follow(
            Self.salvaging,
            Self.untilSalvage + [
                (.salvaged, .openDatabase), (.opened, .readMeta), (Self.otherModel, .verify),
                (.verified(.passed), .announce(.migration, because: .modelChanged)),
                (Self.permitted, .migrate), (.migrated, .shareLock), (.done, .finish),
            ])
        #expect(machine.outcome == .salvaged)
        #expect(machine.hasMigrated)
    }

    @Test func `a requested reset salvages nothing`() {
        follow(
            Machine(intent: .reset, salvages: true),
            [
                (nil, .lockExclusively), (.locked(isExclusive: true), .inspect),
                (.inspected(.ours), .reset),
            ])
    }
}
