// SPDX-License-Identifier: MIT

import CacheStore
import CacheStoreHealing
import CacheStorePersistence
import CacheStoreSQLite
import Foundation

/// Something that is done to a store, and that may end anywhere.
///
/// Each is a row of contents: the first is what it finds, and each of its saves makes the next one.
enum Work: String, CaseIterable, Sendable {
    /// Makes a store where there is none.
    case create
    /// Opens a store that was closed, reads it and closes it.
    case open
    /// Opens a store that a killed process has left.
    case recover
    /// Saves new, changed and deleted items, and a value with a file of its own.
    case save
    /// Deletes most items, as a program does with old ones.
    case cleanUp = "clean-up"
    /// Empties the store on demand.
    case reset
    /// Opens a store of an earlier model.
    case migrate
    /// Opens a store that is damaged.
    case heal
    /// Opens a store that is damaged, to keep what can still be read.
    case salvage
    /// Opens what another program has left at the place.
    case setAside = "set aside"

    /// The model that the store has afterwards.
    var version: ItemStore.Version { self == .migrate ? .later : .first }

    /// Whether the first content is given up, which must be told.
    var losesContent: Bool { self == .reset || self == .heal }

    private static let filling = ItemChange(generation: 0, inserts: 0..<150, pictured: 7)

    var damagePolicy: PersistentStoreDescription.DamagePolicy {
        self == .salvage ? .salvage : .reset
    }

    private var changes: [ItemChange] {
        switch self {
        case .open, .salvage: []
        case .save:
            [
                ItemChange(generation: 1, inserts: 1_000..<1_020),
                ItemChange(generation: 2, updatesEvery: 3),
                ItemChange(generation: 3, inserts: 2_000..<2_003, deletesEvery: 5, pictured: 2_001),
            ]
        case .cleanUp:
            [
                ItemChange(generation: 1, updatesEvery: 2, deletesEvery: 2),
                ItemChange(generation: 2, inserts: 1_000..<1_003),
            ]
        default: [ItemChange(generation: 1, inserts: 1_000..<1_020)]
        }
    }

    /// The contents, one after the other.
    var states: [[Int: String]] {
        var states = [[Int: String]()]
        if self != .create && self != .setAside {
            states = [Self.filling.applied(to: [:])]
            if losesContent { states.append([:]) }
        }
        for change in changes { states.append(change.applied(to: states[states.count - 1])) }
        return states
    }

    // MARK: Before

    /// Makes what the work finds.
    @MainActor
    func prepare(in folder: URL) throws {
        let file = ItemStore.file(in: folder)
        switch self {
        case .create: return
        case .setAside: return try Self.makeForeignFile(at: file)
        default: break
        }
        let store = try ItemStore(in: folder)
        try store.save(Self.filling)
        guard self == .recover else {
            try store.close()
            if self == .heal { try Self.damage(file, at: 4_096) }
            // All rows can still be found.
            if self == .salvage { try Self.damage(file, at: 0) }
            return
        }
        // A copy of the files of an open store is what a killed process leaves.
        let aside = folder.appending(path: "aside")
        try FileManager.default.createDirectory(at: aside, withIntermediateDirectories: false)
        for suffix in ["", "-wal"] {
            let name = file.lastPathComponent + suffix
            try FileManager.default.copyItem(
                at: folder.appending(path: name), to: aside.appending(path: name))
        }
        try store.close()
        for suffix in ["", "-wal"] {
            let name = file.lastPathComponent + suffix
            try? FileManager.default.removeItem(at: folder.appending(path: name))
            try FileManager.default.moveItem(
                at: aside.appending(path: name), to: folder.appending(path: name))
        }
        try FileManager.default.removeItem(at: aside)
    }

    private static func damage(_ file: URL, at offset: UInt64) throws {
        let handle = try FileHandle(forUpdating: file)
        defer { try? handle.close() }
        // Whatever the first two pages are, each store has them.
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: Data(count: 2_048))
    }

    private static func makeForeignFile(at file: URL) throws {
        let connection = try Connection(.file(file.path(percentEncoded: false)))
        try connection.execute(sql: "CREATE TABLE letter (text); PRAGMA application_id = 77")
        try connection.execute(sql: "INSERT INTO letter VALUES ('\(foreignText)')")
        try connection.close()
    }

    /// What must be kept of a file of another program.
    static let foreignText = "dear reader, do not delete me"

    // MARK: The work

    /// Does it, and tells the witness what happens.
    @MainActor
    func run(in folder: URL, _ witness: Witness) throws {
        var index = 0
        if self == .reset {
            let file = try StoreOpener.reset(
                at: ItemStore.file(in: folder), content: SQLiteSchema(model: version.model)
            ).file
            index = 1
            witness.isReached(index)
            try file?.close()
        }
        let states = states
        let store = try ItemStore(
            in: folder, version, damagePolicy,
            verification: self == .heal || self == .salvage ? .always : .afterUncleanShutdown)
        var isClosed = false
        defer { if !isClosed { try? store.close() } }
        if store.report.wasResetOrCreated {
            witness.wasReset(store.report)
            if self == .heal {
                index = 1
                witness.isReached(index)
            }
        }
        if self == .salvage {
            witness.compareRows(try store.content(), states[index])
        } else {
            witness.compare(try store.content(), states[index])
        }
        for change in changes {
            try store.save(change)
            index += 1
            witness.isReached(index)
        }
        if self != .salvage { witness.compare(try store.content(), states[index]) }
        isClosed = true
        try store.close()
    }
}

/// Is told what happens in a work, in a form that survives its process.
struct Witness {
    /// Each line is `state N`, `reset`, `because …` or `wrong`.
    let say: (String) -> Void

    /// What is saved up to here must be there afterwards.
    func isReached(_ state: Int) { say("state \(state)") }

    /// The program was told that the content is gone.
    func wasReset(_ report: StoreOpenReport) {
        say("reset")
        let steps = report.steps.map { "\($0.name) (\($0.detail ?? ""))" }
        let error = report.underlyingError.map { "\($0)" } ?? "no error"
        say(
            "because \(report.cause), \(error), \(steps.joined(separator: ", "))"
                .replacing("\n", with: " "))
    }

    /// Of what was salvaged rows may be missing, for not all could be read.
    func compareRows(_ found: [Int: String], _ expected: [Int: String]) {
        if !found.allSatisfy({ expected[$0.key] == $0.value }) { say("wrong") }
    }

    func compare(_ found: [Int: String], _ expected: [Int: String]) {
        if found != expected { say("wrong") }
    }
}
