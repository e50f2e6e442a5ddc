// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreHealing

/// Salvages that end where the store is empty and what was salvaged is not in its place yet: SQLite
/// did not write over the old content.
@Suite struct InterruptedSalvageTests {
    private struct Refused: Error {}

    /// Salvages as far as the second copy, and ends there.
    private static func salvage(_ path: String, ending: @escaping () throws -> Void) throws {
        var salvage = StoreSalvage(
            paths: StorePaths(main: path), content: LibraryContent(),
            busyTimeout: .seconds(30))
        salvage.willCopy = { isEmpty in
            if isEmpty { try ending() }
            throw SQLiteError(code: .SQLITE_CORRUPT, message: "as a test wants it")
        }
        _ = try salvage.perform()
    }

    /// A store that a process has emptied and not filled again.
    private func emptied() async throws -> LibrarySample {
        let sample = try LibrarySample()
        try sample.zero(pages: [1])
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = sample.store.path as String] in
            try Self.salvage(path) { kill(getpid(), SIGKILL) }
        }
        return sample
    }

    private func open(
        _ sample: LibrarySample, onDamage: StoreOptions.DamagePolicy = .salvage
    ) throws -> OpenedStore {
        var options = StoreOptions()
        options.onDamage = onDamage
        options.verification = VerificationPolicy(.always, deadline: .seconds(60))
        return try StoreOpener.open(
            at: sample.store.url, content: LibraryContent(), options: options)
    }

    @Test(arguments: [StoreOptions.DamagePolicy.salvage, .reset])
    func `after a kill the next opening finishes it`(
        policy: StoreOptions.DamagePolicy
    ) async throws {
        let sample = try await emptied()
        let connection = try Connection(.file(sample.store.path), mode: .immutable)
        let count = try connection.prepare(sql: "SELECT count(*) FROM sqlite_schema")
            .first { $0.int64(at: 0) }
        #expect(count == 0)
        try connection.close()
        let opened = try open(sample, onDamage: policy)
        let file = try #require(opened.file)
        #expect(opened.report.outcome == .salvaged)
        #expect(opened.report.cause == .damaged)
        #expect(opened.report.wasResetOrCreated)
        #expect(opened.report.verification == .passed)
        #expect(try file.read { try LibraryRows(of: $0) } == sample.rows)
        try file.close()
        #expect(!sample.store.exists(sample.store.paths.salvaged))
        let again = try open(sample)
        #expect(again.report.outcome == .opened)
        try again.file?.close()
    }

    @Test func `also where the emptied file is gone`() async throws {
        let sample = try await emptied()
        try FileTree.remove(sample.store.path)
        let opened = try open(sample)
        #expect(opened.report.outcome == .salvaged)
        #expect(try opened.file?.read { try LibraryRows(of: $0) } == sample.rows)
        try opened.file?.close()
    }

    @Test func `an error at that place leaves it to the next opening as well`() throws {
        let sample = try LibrarySample()
        try sample.zero(pages: [1])
        #expect(throws: Refused.self) {
            try Self.salvage(sample.store.path) { throw Refused() }
        }
        let opened = try open(sample)
        #expect(opened.report.outcome == .salvaged)
        #expect(try opened.file?.read { try LibraryRows(of: $0) } == sample.rows)
        try opened.file?.close()
    }

    @Test func `what is damaged itself does not come into the place of the store`() async throws {
        let sample = try await emptied()
        for offset in stride(from: 3_000, to: 400_000, by: 4_096) {
            try sample.store.flipBit(at: offset, of: sample.store.paths.salvaged)
        }
        let opened = try open(sample)
        #expect(opened.report.outcome == .created)
        #expect(try opened.file?.read { try LibraryRows(of: $0) }.count == 0)
        try opened.file?.close()
        #expect(!sample.store.exists(sample.store.paths.salvaged))
    }

    @Test func `a store that was reset meanwhile stays as it is`() async throws {
        let sample = try await emptied()
        let reset = try StoreOpener.reset(at: sample.store.url, content: LibraryContent())
        #expect(try reset.file?.read { try LibraryRows(of: $0) }.count == 0)
        try reset.file?.close()
        #expect(!sample.store.exists(sample.store.paths.salvaged))
    }

    @Test func `beside a store remains are only deleted`() throws {
        let sample = try LibrarySample()
        try sample.store.write("half".utf8, to: sample.store.paths.salvage)
        try sample.store.write(
            try #require(sample.store.contents()), to: sample.store.paths.salvaged)
        let opened = try open(sample)
        #expect(opened.report.outcome == .opened)
        try opened.file?.close()
        #expect(!sample.store.exists(sample.store.paths.salvage))
        #expect(!sample.store.exists(sample.store.paths.salvaged))
    }
}
