// SPDX-License-Identifier: MIT

import CacheStoreProcess
import Foundation

/// Keeps a program from crashing over one store again and again: writes down what is about to be
/// done before it is done, and refuses it where that went wrong too often.
///
/// Used under the store's exclusive lock, so a record with an intent is that of a process that is
/// gone. It is best effort: where the record cannot be written (a full disk, say), healing goes on
/// without, for a full disk is no reason to keep a broken store.
struct HealingGuard {
    let paths: StorePaths
    let limit: Int
    /// The record as far as this opening has begun something or was refused it.
    private var record: HealingRecord?

    init(paths: StorePaths, limit: Int) {
        self.paths = paths
        self.limit = limit
    }

    struct Verdict: Sendable, Hashable {
        var isPermitted: Bool
        var note: String?
    }

    /// Writes down what is about to be done, if it may be done.
    mutating func begin(
        _ step: HealingRecord.Step, because cause: StoreOpenReport.Cause
    ) -> Verdict {
        let found = record ?? load()
        // Making the first store of all destroys nothing, and an opening costs less without this.
        if step == .creation, found == nil { return Verdict(isPermitted: true) }
        var next = found ?? HealingRecord(boot: Self.boot)
        let isPermitted = next.permits(step, limit: limit)
        if isPermitted {
            next.begin(
                HealingRecord.Intent(step: step, cause: Self.word(for: cause), process: getpid()))
        } else {
            next.skip()
        }
        let note = save(next)
        record = next
        if isPermitted { return Verdict(isPermitted: true, note: note) }
        return Verdict(
            isPermitted: false,
            note: "refused after \(next.crashes) crashes and \(next.healings) healings")
    }

    /// Takes back what was written down, since it is over.
    ///
    /// - Parameter isDone: whether it did what it does.
    mutating func end(isDone: Bool) {
        guard var next = record, next.intent != nil else { return }
        next.end(isDone: isDone)
        _ = save(next)
        record = next
    }

    /// Takes note of what an opening that had nothing to heal has found.
    ///
    /// - Parameter lastSessionWasHealthy: whether the session before this one ended without closing
    ///   the store, but the store has been checked since and is whole.
    mutating func noteOpening(lastSessionWasHealthy: Bool) {
        guard record == nil, Self.exists(for: paths), var next = load() else { return }
        if lastSessionWasHealthy { next.noteHealthySession() }
        _ = save(next)
    }

    /// Takes note of a session that ends, and had a store that was whole from its beginning on.
    static func noteHealthySession(for paths: StorePaths) {
        guard exists(for: paths) else { return }
        let guardian = HealingGuard(paths: paths, limit: 1)
        guard var next = guardian.load() else { return }
        next.noteHealthySession()
        _ = guardian.save(next)
    }

    /// Forgets everything: the program has asked for a new store and has it.
    static func forget(for paths: StorePaths) {
        if exists(for: paths) { try? FileTree.remove(paths.healingRecord) }
    }

    // MARK: The file

    private static var boot: String { BootIdentity.current?.string ?? "unknown" }

    static func exists(for paths: StorePaths) -> Bool {
        FileTree.status(at: paths.healingRecord) != nil
    }

    /// What is not a record of ours says nothing.
    func load() -> HealingRecord? {
        guard let file = try? RawFile(reading: paths.healingRecord),
            let bytes = try? file.read(count: 4096),
            let record = HealingRecord(parsing: String(decoding: bytes, as: UTF8.self))
        else { return nil }
        return record.taken(over: Self.boot)
    }

    /// Writes the record, or removes the file where there is nothing to remember.
    ///
    /// - Returns: a note where that failed.
    private func save(_ record: HealingRecord) -> String? {
        do {
            if record.isEmpty {
                try FileTree.remove(paths.healingRecord)
            } else {
                try replaceFile(with: record.text)
            }
            FileTree.synchronizeDirectory(paths.directory)
            return nil
        } catch {
            return "not written down: \(error)"
        }
    }

    private func replaceFile(with text: String) throws(FileSystemError) {
        let new = paths.healingRecord + ".new"
        try FileTree.remove(new)
        do {
            let file = try RawFile(creating: new)
            try file.append(Array(text.utf8))
            try file.synchronize()
            try FileTree.rename(new, to: paths.healingRecord)
        } catch {
            unlink(new)
            throw error
        }
    }

    // Without the reason why a model does not fit, which may take many lines.
    private static func word(for cause: StoreOpenReport.Cause) -> String {
        cause.unmigratableReason == nil
            ? cause.description : "the model has changed and cannot be migrated"
    }
}
