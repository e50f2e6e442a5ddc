// SPDX-License-Identifier: MIT

public import Foundation

/// What happened when a store was opened.
///
/// A program reads it once, right after opening, to decide whether what it cached must be fetched
/// again. It holds no user data: names of tables and paths, counts and times only.
public struct StoreOpenReport: Sendable {
    /// What came of it.
    public internal(set) var outcome: Outcome = .opened
    /// Why it was not simply opened.
    public internal(set) var cause: Cause = .none
    /// The place of the store; `nil` for a store that was meant to be in memory.
    public internal(set) var url: URL?

    /// The fingerprint of the model that the file was written for; `nil` where it had none.
    public internal(set) var oldFingerprint: String?
    /// The fingerprint of the current model.
    public internal(set) var newFingerprint: String
    /// The identity of the store that was found; `nil` where there was none.
    public internal(set) var oldStoreIdentifier: UUID?
    /// The identity of the store now; it changes with every reset.
    public internal(set) var storeIdentifier: UUID?

    /// The rows that were lost, by table or entity; `nil` where they could not be counted.
    ///
    /// After a salvage an estimate: how many rows a page had that cannot be read any more, nothing
    /// tells exactly.
    public internal(set) var rowsLost: [String: Int]?
    /// After a salvage the rows that are provably as they were, by table; else `nil`.
    public internal(set) var rowsKept: [String: Int]?
    /// After a salvage the rows that were taken over although nothing proves that they are as they
    /// were, those of damaged pages among them, or whose reference to a lost row had to be emptied,
    /// by table; else `nil`.
    public internal(set) var rowsDoubtful: [String: Int]?
    /// After a salvage an estimate of the share of rows that are as they were, from 0 to 1; else
    /// `nil`.
    public internal(set) var salvageScore: Double?
    /// What a migration changed, one sentence each.
    public internal(set) var migrationChanges: [String] = []
    /// The directory that keeps what was found; `nil` where nothing was kept.
    public internal(set) var quarantine: URL?

    /// Whether the last session ended without closing the store.
    public internal(set) var wasUncleanShutdown = false
    /// Whether a program that knows nothing of the checksums of pages has written to the store: the
    /// `sqlite3` shell, or an earlier version of this library.
    ///
    /// Such a store is checked when it is opened, and its pages get their checksums again. Until
    /// then, damage to its content cannot be told from a change.
    public internal(set) var wasChangedByAnotherProgram = false
    /// How many saves are lost, at least, because the log that the last session left was damaged in
    /// the middle: they had been acknowledged, and stood behind the damage.
    ///
    /// The store is as it was before the first of them. Without `synchronous` set to `full` a power
    /// failure can leave the same; a save that was cut off at the end of the log is not counted, since
    /// it may never have been acknowledged.
    public internal(set) var lostSaves = 0
    /// Whether the content was read through, and what that found.
    public internal(set) var verification: Verification = .none
    /// What was done, in order.
    public internal(set) var steps: [Step] = []
    /// The error that made opening do more than open.
    public internal(set) var underlyingError: (any Error)?

    /// Whether the store has none of the objects that a program may expect in it: it was created,
    /// reset, salvaged in part, or is in memory.
    public var wasResetOrCreated: Bool { outcome != .opened && outcome != .migrated }

    package init(url: URL?, newFingerprint: String) {
        self.url = url
        self.newFingerprint = newFingerprint
    }

    /// Creates the report of a store that a program wanted in memory.
    package static func inMemory(
        fingerprint: String, storeIdentifier: UUID? = nil, cause: Cause = .none
    ) -> StoreOpenReport {
        var report = StoreOpenReport(url: nil, newFingerprint: fingerprint)
        report.outcome = .inMemory
        report.cause = cause
        report.storeIdentifier = storeIdentifier
        return report
    }

    /// Creates the report of a session in memory because a store could not be had.
    ///
    /// - Parameter url: the place of the store, where one is known.
    package static func inMemory(
        fingerprint: String, storeIdentifier: UUID?, url: URL?, because error: any Error
    ) -> StoreOpenReport {
        var report = inMemory(
            fingerprint: fingerprint, storeIdentifier: storeIdentifier,
            cause: StoreOpening.cause(for: PersistentStoreError(wrapping: error), found: .none))
        report.url = url
        report.underlyingError = error
        return report
    }
}

extension StoreOpenReport {
    /// What reading the content through found.
    public struct Verification: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String, Sendable {
            case none = "not done"
            case passed = "passed"
            case failed = "found damage"
            case incomplete = "not finished in time"
        }

        private let kind: Kind

        /// It was not done.
        public static let none = Verification(kind: .none)
        /// No page was damaged, and SQLite's check found nothing.
        public static let passed = Verification(kind: .passed)
        /// A page did not fit its checksum, or SQLite's check found damage.
        public static let failed = Verification(kind: .failed)
        /// The check was ended at its deadline, and had found nothing by then.
        public static let incomplete = Verification(kind: .incomplete)

        /// A few words for the result.
        public var description: String { kind.rawValue }
    }

    /// One step of opening.
    public struct Step: Sendable, Hashable {
        /// What was done, in a few words.
        public let name: String
        /// What came of it, where there is more to say.
        public let detail: String?
        /// How long it took.
        public let duration: Duration
    }
}
