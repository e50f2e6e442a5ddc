// SPDX-License-Identifier: MIT

import CacheStoreHealing
import CacheStoreModel
import CacheStoreProcess
import CacheStoreSQLite
import Dispatch
import Foundation
import Testing

@testable import CacheStorePersistence

/// Files of large values that are missing, damaged or left over.
@Suite struct GraphFilesTests {
    private let zoo: Zoo
    private let large = PropertyValue.data(Data(repeating: 7, count: 200_000))

    init() throws { zoo = try Zoo() }

    private func findings(_ verification: GraphVerification) -> [String] {
        verification.report.findings.map(\.short)
    }

    /// The store once more, by somebody who hardly waits for others.
    private func openImpatiently() throws -> SQLiteStore {
        var options = StoreOptions()
        options.busyTimeout = .milliseconds(50)
        return try SQLiteStore.open(
            at: zoo.fixture.directory.url.appendingPathComponent("store.sqlite"),
            model: zoo.store.model, options: options
        ).store
    }

    @Test func `a value whose file is missing is emptied`() throws {
        let animal = try zoo.insert("Animal", ["photo": large])
        let name = try #require(try zoo.files().first)
        try FileManager.default.removeItem(at: zoo.filesDirectory.appendingPathComponent(name))
        let result = try zoo.verify()
        #expect(findings(result) == ["missingFile Animal.photo 1"])
        #expect(try zoo.fixture.row(animal)?.values["photo"] == .null)
        #expect(result.changes.updated.map(\.id) == [animal])
    }

    @Test func `a required value whose file is missing is reported and left`() throws {
        let keeper = try zoo.insert("Keeper", ["scan": large])
        let name = try #require(try zoo.files().first)
        try FileManager.default.removeItem(at: zoo.filesDirectory.appendingPathComponent(name))
        let result = try zoo.verify(remaining: ["missingFile Keeper.scan 1"])
        #expect(result.report.unrepairedCount == 1)
        #expect(try zoo.scalar("SELECT length(scan) FROM Keeper") == .integer(29))
        #expect(try zoo.fixture.row(keeper) != nil)
    }

    @Test func `a file with wrong content counts as missing, and goes`() throws {
        let animal = try zoo.insert("Animal", ["photo": large])
        let name = try #require(try zoo.files().first)
        try Data().write(to: zoo.filesDirectory.appendingPathComponent(name))
        let result = try zoo.store.verifyGraph(repairing: true)
        #expect(findings(result) == ["damagedFile Animal.photo 1", "orphanedFile  1"])
        #expect(try zoo.fixture.row(animal)?.values["photo"] == .null)
        #expect(try zoo.files() == [])
        #expect(try zoo.store.verifyGraph(repairing: false).report.isHealthy)
    }

    @Test func `files that no row names are removed, others stay`() throws {
        _ = try zoo.insert("Animal", ["photo": large])
        let kept = try zoo.files()
        for name in [UUID().uuidString, UUID().uuidString + ".tmp", "notes.txt"] {
            try Data([1]).write(to: zoo.filesDirectory.appendingPathComponent(name))
        }
        let result = try zoo.verify()
        #expect(findings(result) == ["orphanedFile  2"])
        #expect(result.report.externalFileCount == 1)
        #expect(Set(try zoo.files()) == Set(kept + ["notes.txt"]))
    }

    @Test func `files of a save that is under way are left alone`() throws {
        _ = try zoo.insert("Animal", ["photo": large])
        let orphan = zoo.filesDirectory.appendingPathComponent(UUID().uuidString)
        try Data([1]).write(to: orphan)
        let files = ExternalFiles(
            directory: zoo.filesDirectory, synchronizes: false, busyTimeout: .seconds(30))
        let lock = try files.lock(.shared)
        let other = try openImpatiently()
        let result = try other.verifyGraph(repairing: true)
        #expect(result.report.isHealthy && !result.report.searchedForOrphanedFiles)
        #expect(FileManager.default.fileExists(atPath: orphan.path))
        try lock?.unlock()
        #expect(try other.verifyGraph(repairing: true).report.findings.count == 1)
        #expect(!FileManager.default.fileExists(atPath: orphan.path))
        try other.close()
    }

    @Test func `a save that was cut short leaves nothing behind after the next opening`() throws {
        let animal = try zoo.insert("Animal", ["photo": large])
        let kept = try zoo.files()
        #expect(kept.count == 1)
        try zoo.store.close()
        // As a process leaves it that dies before its commit.
        for name in [UUID().uuidString, UUID().uuidString + ".tmp", ".saving"] {
            try Data([1]).write(to: zoo.filesDirectory.appendingPathComponent(name))
        }
        let other = try openImpatiently()
        #expect(try zoo.files() == kept)
        #expect(try other.rows(of: animal.resolvedEntity, keys: [animal.key]).count == 1)
        try other.close()
    }

    @Test func `a save that fails leaves neither files nor a mark`() throws {
        _ = try zoo.insert("Animal", ["photo": large])
        let kept = try zoo.files()
        let update = try zoo.fixture.update(
            ManagedObjectID(
                space: zoo.store.space, entityIndex: zoo.fixture.entity("Animal").index, key: 77),
            ["photo": large])
        #expect(throws: StoreConflicts.self) { try zoo.fixture.save(updated: [update]) }
        #expect(try zoo.files() == kept)
    }

    @Test func `a save waits while the files are compared`() throws {
        let animal = try zoo.insert("Animal", ["photo": large])
        let files = ExternalFiles(
            directory: zoo.filesDirectory, synchronizes: false, busyTimeout: .seconds(30))
        let lock = try files.lock(.exclusive)
        let other = try openImpatiently()
        var changes = ChangeSet()
        changes.deleted = [ChangeSet.Deletion(id: animal, version: 1)]
        #expect(throws: (any Error).self) { try other.save(changes) }
        try lock?.unlock()
        _ = try other.save(changes)
        #expect(try zoo.files() == [])
        try other.close()
    }

    @Test func `files are never missed while others save`() throws {
        // Saves with files beside checks with repairs: nothing may be emptied or removed.
        let zoo = zoo
        let large = large
        let ids = try (0..<4).map { _ in try zoo.insert("Animal", ["photo": large]) }
        let group = DispatchGroup()
        for id in ids {
            DispatchQueue.global().async(group: group) {
                for version in 1...8 {
                    var changes = ChangeSet()
                    guard
                        let update = try? zoo.fixture.update(
                            id, version: Int64(version), ["photo": large])
                    else { return }
                    changes.updated = [update]
                    _ = try? zoo.store.save(changes)
                }
            }
        }
        var reports: [GraphReport] = []
        while group.wait(timeout: .now()) == .timedOut {
            reports.append(try zoo.store.verifyGraph(repairing: true).report)
        }
        reports.append(try zoo.store.verifyGraph(repairing: true).report)
        let faulty = reports.filter { !$0.isHealthy }
        #expect(faulty.isEmpty)
        for id in ids { #expect(try zoo.fixture.row(id)?.version == 9) }
    }
}
