// SPDX-License-Identifier: MIT

package import CacheStoreProcess

/// How a store file is opened, kept and healed.
package struct StoreOptions: Sendable {
    package enum Synchronous: Sendable, Hashable {
        /// The log is synced at checkpoints: a power failure may lose the last saves, never the
        /// store (https://sqlite.org/pragma.html#pragma_synchronous).
        case normal
        /// The log is synced at each save.
        case full
    }

    /// What happens when the store cannot be had though nothing says that it is damaged.
    package enum UnavailablePolicy: Sendable, Hashable {
        /// Opening throws.
        case fail
        /// Opening reports a session in memory and leaves the file alone.
        case inMemory
    }

    /// What becomes of a store that is damaged, after its files were kept.
    package enum DamagePolicy: Sendable, Hashable {
        /// It is emptied.
        case reset
        /// What can still be read is taken over; emptied where nothing can.
        case salvage
    }

    package var verification = VerificationPolicy()
    package var onDamage = DamagePolicy.reset
    package var quarantine = QuarantinePolicy()
    package var onUnavailable = UnavailablePolicy.fail
    /// How often a store may be healed, or end the process while it is healed, before it is left
    /// alone for some openings; sessions with a store that stays whole count against it.
    package var healingLimit = 3
    package var synchronous = Synchronous.normal
    /// How long locks of others are waited for.
    package var busyTimeout = Duration.seconds(5)
    /// The page cache of the writing connection, in bytes.
    package var cacheSize = 64 << 20
    /// How many connections read at the same time.
    package var readerCount = 4
    package var isReadOnly = false
    /// Whether a store that was left unclean, and could not be checked in time, is read through while
    /// it is open.
    package var scrubsInBackground = true
    /// What the store's directory lies on, where a test says so; `nil` asks the system.
    package var fileSystem: FileSystemKind?
    /// The size of the write-ahead log, in bytes, after which a write ends with a checkpoint.
    package var checkpointThreshold = 4 << 20

    package init() {}
}

/// When a store is read through at opening.
package struct VerificationPolicy: Sendable, Hashable {
    package enum Schedule: Sendable, Hashable {
        /// Only when the last session did not close the store.
        case afterUncleanShutdown
        case always
        case never
    }

    package var schedule: Schedule
    /// How long the check may take; what is not done by then is not checked.
    package var deadline: Duration

    package init(
        _ schedule: Schedule = .afterUncleanShutdown, deadline: Duration = .seconds(2)
    ) {
        self.schedule = schedule
        self.deadline = deadline
    }
}

/// Which damaged files are kept, and for how much space.
package struct QuarantinePolicy: Sendable, Hashable {
    /// How many sets are kept; foreign and newer files do not count and are always kept.
    package var maximumSets = 1
    /// The largest set that is kept.
    package var maximumBytes: Int64 = 256 << 20
    /// No set is made while one younger than this is there.
    package var minimumInterval = Duration.seconds(24 * 60 * 60)
    /// Where less than this is free on the disk, in bytes, no set is made and those that are there
    /// are deleted; on a small disk, less than a twentieth of it.
    package var minimumFreeBytes: Int64 = 64 << 20

    package init() {}
}
