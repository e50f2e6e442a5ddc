// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreHealing

/// Processes that end in the middle of healing, again and again.
@Suite struct CrashLoopTests {
    /// Where a process ends: before an action, or inside one, in the code of the program.
    enum Moment: String, Sendable, CaseIterable {
        case beforeQuarantine, beforeReset, beforeCreation, inCreation, inMigration, beforeSetAside

        /// Leaves a store that needs it.
        func prepare(_ store: TemporaryStore) throws {
            switch self {
            case .inMigration: try store.fill(count: 3)
            case .beforeSetAside:
                let connection = try Connection(.file(store.path))
                try connection.execute(sql: "PRAGMA application_id = 7; CREATE TABLE theirs (v)")
                try connection.close()
            default: try store.write("not a database".utf8)
            }
        }

        /// The action before which the process ends.
        var action: StoreOpeningStateMachine.Action? {
            switch self {
            case .beforeQuarantine: .quarantine
            case .beforeReset: .reset
            case .beforeCreation: .create
            case .beforeSetAside: .setAside
            case .inCreation, .inMigration: nil
            }
        }

        var content: NotesContent { NotesContent(version: self == .inMigration ? 2 : 1) }
    }

    /// Content that ends the process where the tables are made or changed.
    private struct DeadlyContent: StoreContent {
        var moment: Moment
        var base: NotesContent { moment.content }

        var fingerprint: String { base.fingerprint }
        var storedDescription: Data { base.storedDescription }

        func createSchema(in connection: Connection) throws {
            try base.createSchema(in: connection)
            if moment == .inCreation { kill(getpid(), SIGKILL) }
        }

        func schemaIsIntact(in connection: Connection) throws -> Bool {
            try base.schemaIsIntact(in: connection)
        }

        func migrate(in connection: Connection, from stored: Data) throws -> MigrationSummary {
            let summary = try base.migrate(in: connection, from: stored)
            if moment == .inMigration { kill(getpid(), SIGKILL) }
            return summary
        }
    }

    /// Opens as ``StoreOpener`` does, and ends the process at the moment.
    private static func openAndDie(in directory: String, at moment: Moment) throws {
        let opening = StoreOpening(
            paths: StorePaths(main: directory + "/notes.sqlite"),
            content: DeadlyContent(moment: moment), options: options)
        opening.willPerform = { action in
            if action == moment.action { kill(getpid(), SIGKILL) }
        }
        _ = try opening.run(StoreOpeningStateMachine())
    }

    private static var options: StoreOptions {
        var options = StoreOptions()
        options.healingLimit = 2
        options.onUnavailable = .inMemory
        return options
    }

    @Test(arguments: Moment.allCases)
    func `killed in the middle of each healing, a program soon has a session in memory`(
        moment: Moment
    ) async throws {
        let store = try TemporaryStore()
        try moment.prepare(store)
        for _ in 0..<2 {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [directory = store.directory as String, moment = moment.rawValue as String] in
                try Self.openAndDie(in: directory, at: try #require(Moment(rawValue: moment)))
            }
        }
        var strict = Self.options
        strict.onUnavailable = .fail
        #expect { try store.open(moment.content, options: strict) } throws: {
            PersistentStoreError.Code.crashLoop ~= $0
        }
        for _ in 0..<3 {
            let refused = try store.open(moment.content, options: Self.options)
            #expect(refused.file == nil)
            #expect(refused.report.outcome == .inMemory)
            #expect(refused.report.cause == .crashLoop)
            #expect(refused.report.wasResetOrCreated)
        }
        // What killed it is gone: the next try is to its end.
        let opened = try store.open(moment.content, options: Self.options)
        let file = try #require(opened.file)
        #expect(try file.countNotes() == (moment == .inMigration ? 3 : 0))
        try file.addNotes(1)
        try file.close()
        #expect(try store.open(moment.content).report.outcome == .opened)
    }

    @Test
    func `a program that ends with an error over a damaged store is healed at its first start`()
        async throws
    {
        let store = try TemporaryStore()
        try store.write("not a database".utf8)
        for start in 1...5 {
            await #expect(processExitsWith: .exitCode(start == 1 ? 3 : 4)) {
                [directory = store.directory as String] in
                let opened = try StoreOpener.open(
                    at: URL(filePath: directory + "/notes.sqlite"), content: NotesContent())
                try opened.file?.addNotes(1)
                // Whatever it does not like, it does not close its store.
                _exit(opened.report.outcome == .reset ? 3 : 4)
            }
        }
        #expect(try store.openFile().countNotes() == 5)
        #expect(!HealingGuard.exists(for: store.paths))
    }

    @Test func `a process that died behind its healing has a store, and the death counts`()
        async throws
    {
        let store = try TemporaryStore()
        try store.write("not a database".utf8)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [directory = store.directory as String] in
            let opening = StoreOpening(
                paths: StorePaths(main: directory + "/notes.sqlite"), content: NotesContent(),
                options: StoreOptions())
            opening.willPerform = { if $0 == .shareLock { kill(getpid(), SIGKILL) } }
            _ = try opening.run(StoreOpeningStateMachine())
        }
        let record = try #require(HealingGuard(paths: store.paths, limit: 3).load())
        #expect(record.crashes == 1)
        let opened = try store.open()
        // It died before anybody was told that the store is new.
        #expect(opened.report.outcome == .created)
        #expect(opened.report.cause == .interrupted)
        // The check after the unclean end has found the store whole.
        #expect(!HealingGuard.exists(for: store.paths))
        try opened.file?.close()
    }

    @Test func `a store that is damaged at every start is not reset for ever`() throws {
        let store = try TemporaryStore()
        var outcomes: [StoreOpenReport.Outcome] = []
        for _ in 0..<10 {
            try store.write("not a database".utf8)
            let opened = try store.open(options: Self.options)
            outcomes.append(opened.report.outcome)
            // A clean end does not make up for it: the session began with a reset.
            try opened.file?.addNotes(1)
            try opened.file?.close()
        }
        #expect(
            outcomes == [.reset, .reset] + [.inMemory, .inMemory, .inMemory, .inMemory]
                + [.reset] + [.inMemory, .inMemory, .inMemory])
        #expect(store.contents() == Data("not a database".utf8))
    }

    @Test func `a session with a whole store in between makes up for a reset`() throws {
        let store = try TemporaryStore()
        for _ in 0..<6 {
            try store.write("not a database".utf8)
            let healed = try store.open(options: Self.options)
            #expect(healed.report.outcome == .reset)
            try healed.file?.close()
            let whole = try store.openFile()
            try whole.addNotes(1)
            try whole.close()
        }
        #expect(!HealingGuard.exists(for: store.paths))
    }

    @Test func `a restart of the machine makes up for everything`() throws {
        let store = try TemporaryStore()
        try store.write("not a database".utf8)
        var record = HealingRecord(boot: "an earlier one")
        record.healings = 10
        try store.write(record.text.utf8, to: store.paths.healingRecord)
        #expect(try store.open(options: Self.options).report.outcome == .reset)
    }

    @Test func `a reset that the program asks for is never refused and forgets the others`() throws
    {
        let store = try TemporaryStore()
        for _ in 0..<3 {
            try store.write("not a database".utf8)
            try store.open(options: Self.options).file?.close()
        }
        #expect(HealingGuard.exists(for: store.paths))
        let reset = try StoreOpener.reset(at: store.url, content: NotesContent())
        #expect(reset.report.outcome == .reset)
        try reset.file?.close()
        #expect(!HealingGuard.exists(for: store.paths))
    }

    @Test func `a healing that fails with an error is no crash`() throws {
        let store = try TemporaryStore()
        for _ in 0..<5 {
            try store.write("not a database".utf8)
            #expect { try StoreOpener.open(at: store.url, content: FullContent()) } throws: {
                PersistentStoreError.Code.noSpace ~= $0
            }
        }
        #expect(!HealingGuard.exists(for: store.paths))
        #expect(try store.open().report.outcome == .reset)
    }

    @Test(arguments: ["", "garbage", "CacheStore healing 1\nboot "])
    func `a record that is damaged itself is no obstacle`(text: String) throws {
        let store = try TemporaryStore()
        try store.write("not a database".utf8)
        try store.write(text.utf8, to: store.paths.healingRecord)
        let opened = try store.open()
        #expect(opened.report.outcome == .reset)
        let record = try #require(HealingGuard(paths: store.paths, limit: 3).load())
        #expect(record.healings == 1)
    }

    @Test func `a store that was never healed has no record`() throws {
        let store = try TemporaryStore()
        try store.fill()
        try store.open(NotesContent(version: 2)).file?.close()
        #expect(!HealingGuard.exists(for: store.paths))
    }
}

/// Content for which there is never room.
struct FullContent: StoreContent {
    var fingerprint: String { NotesContent().fingerprint }
    var storedDescription: Data { NotesContent().storedDescription }

    func createSchema(in connection: Connection) throws {
        try NotesContent().createSchema(in: connection)
        throw SQLiteError(code: .SQLITE_FULL, message: "database or disk is full")
    }

    func schemaIsIntact(in connection: Connection) throws -> Bool {
        try NotesContent().schemaIsIntact(in: connection)
    }

    func migrate(in connection: Connection, from stored: Data) throws -> MigrationSummary {
        try NotesContent().migrate(in: connection, from: stored)
    }
}
