// SPDX-License-Identifier: MIT

import CacheStoreHealing
public import Foundation

/// Where a store is and how it is to be opened and kept.
///
/// ```swift
/// var description = PersistentStoreDescription(url: url)
/// description.synchronous = .full          // each save survives a power failure
/// description.unavailablePolicy = .inMemory
/// ```
public struct PersistentStoreDescription: Sendable, Hashable {
    /// When a store file is read through at opening.
    public enum Verification: Sendable, Hashable {
        /// Only when the last session did not close the store: a clean open costs the same whatever
        /// the size of the file.
        case afterUncleanShutdown
        /// At every opening: O(size of the file).
        case always
        /// Never.
        case never
    }

    /// What a save waits for.
    public enum Synchronous: Sendable, Hashable {
        /// A power failure may cost the last saves, never the store.
        case normal
        /// Each save is on the disk when it returns.
        case full
    }

    /// What happens when a store cannot be had although nothing says that it is damaged: no space, no
    /// permission, busy.
    public enum UnavailablePolicy: Sendable, Hashable {
        /// Opening throws.
        case fail
        /// The session runs in memory; the report says so and why. The file is left alone.
        case inMemory
    }

    /// What becomes of a store that is damaged. Its files are kept aside first, as far as the limits
    /// below allow.
    public enum DamagePolicy: Sendable, Hashable {
        /// It is emptied: right for what can be fetched again.
        case reset
        /// What can still be read is taken over, and references to objects that are lost are emptied.
        /// Takes a read of the whole file. A store that cannot be migrated is still emptied.
        case salvage
    }

    /// The file; `nil` for a store in memory.
    public var url: URL?
    /// When the file is read through at opening.
    public var verification = Verification.afterUncleanShutdown
    /// How long reading through may take before the store is opened without.
    public var verificationDeadline = Duration.seconds(2)
    /// What a save waits for.
    public var synchronous = Synchronous.normal
    /// What becomes of a store that is damaged.
    public var damagePolicy = DamagePolicy.reset
    /// What happens when the store cannot be had.
    public var unavailablePolicy = UnavailablePolicy.fail
    /// How long other processes' locks are waited for.
    public var busyTimeout = Duration.seconds(5)
    /// The page cache of the writing connection in bytes.
    ///
    /// 64 MiB by default: saves of many objects touch index pages all over the file, and a small
    /// cache writes them several times. Each of the connections that read, up to four, has a
    /// quarter.
    public var cacheSize = 64 << 20
    /// Whether a store that the last session did not close, and that could not be read through at
    /// opening, is read through in the background while it is open, a slice at a time.
    public var scrubsInBackground = true
    /// Whether the store is opened to be read only.
    public var isReadOnly = false
    /// How many sets of damaged files are kept beside the store.
    public var quarantinedSets = 1
    /// The largest set of damaged files that is kept, in bytes.
    public var quarantineLimit: Int64 = 256 << 20
    /// No set of damaged files is made while a younger one is there.
    public var quarantineInterval = Duration.seconds(24 * 60 * 60)

    /// How often a store may be healed, or end the process while it is healed, before it is left
    /// alone for some openings, which then end as ``unavailablePolicy`` says.
    ///
    /// A session that finds the store whole and closes it counts against it, and so does a restart
    /// of the machine. See <doc:Healing>.
    public var healingLimit = 3

    /// Creates the description of a store in a file.
    public init(url: URL) { self.url = url }

    private init() {}

    /// The description of a store in memory.
    public static let inMemory = PersistentStoreDescription()

    var options: StoreOptions {
        var options = StoreOptions()
        let schedule: VerificationPolicy.Schedule =
            switch verification {
            case .afterUncleanShutdown: .afterUncleanShutdown
            case .always: .always
            case .never: .never
            }
        options.verification = VerificationPolicy(schedule, deadline: verificationDeadline)
        options.synchronous = synchronous == .full ? .full : .normal
        options.onDamage = damagePolicy == .salvage ? .salvage : .reset
        options.onUnavailable = unavailablePolicy == .inMemory ? .inMemory : .fail
        options.busyTimeout = busyTimeout
        options.cacheSize = cacheSize
        options.isReadOnly = isReadOnly
        options.scrubsInBackground = scrubsInBackground
        options.healingLimit = healingLimit
        options.quarantine.maximumSets = quarantinedSets
        options.quarantine.maximumBytes = quarantineLimit
        options.quarantine.minimumInterval = quarantineInterval
        return options
    }
}
