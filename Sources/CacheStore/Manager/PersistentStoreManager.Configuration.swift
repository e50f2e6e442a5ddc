// SPDX-License-Identifier: MIT

public import CacheStoreGraph
public import CacheStoreModel
public import Foundation

extension PersistentStoreManager {
    /// What a manager opens, where, and how it is kept and saved.
    ///
    /// ```swift
    /// override class var configuration: Configuration {
    ///     var configuration = Configuration(
    ///         applicationIdentifier: "org.example.Photos", model: ManagedObjectModel(Photo.self))
    ///     configuration.store.synchronous = .full
    ///     configuration.autosave.delay = .seconds(1)
    ///     return configuration
    /// }
    /// ```
    public struct Configuration: Sendable {
        /// The name of the program's directory among the user's caches: `org.example.Photos`.
        ///
        /// Checked as one component of a path when the store is opened.
        public var applicationIdentifier: String
        /// The name of the store's file, without its extension.
        public var storeName = "CacheStore"
        /// The model of the store.
        public var model: ManagedObjectModel
        /// The directory of the store, instead of the one that the system has for caches.
        public var directory: URL?
        /// The part of the directory that belongs to one user of the program; `nil` for none.
        ///
        /// Checked as one component of a path when the store is opened, so that a login name may be
        /// used as it is.
        public var namespace: String?
        /// Whether there is no file: the store lives in memory and ends with the process.
        public var isInMemory = false
        /// How the store is opened and kept; its ``PersistentStoreDescription/url`` is not looked at.
        ///
        /// Here a store that cannot be had is replaced by one in memory for the session, unless the
        /// policy is set to `fail`.
        public var store: PersistentStoreDescription
        /// When the manager saves by itself.
        public var autosave = Autosave()
        /// Takes the few lines that the manager has to say: saves in an emergency, above all.
        ///
        /// They hold no user data. The default writes them to the standard error.
        public var log: @Sendable (String) -> Void = StandardErrorLog.write

        /// The variables that the directory is found by, where a test has its own.
        package var environment: [String: String]?

        /// Creates a configuration with the defaults.
        public init(applicationIdentifier: String, model: ManagedObjectModel) {
            self.applicationIdentifier = applicationIdentifier
            self.model = model
            store = .inMemory
            store.unavailablePolicy = .inMemory
        }
    }

    /// When a manager saves by itself.
    public struct Autosave: Sendable, Hashable {
        /// Whether the manager saves by itself at all.
        ///
        /// Without it a program saves by hand; ``PersistentStoreManager/saveBeforeTermination()`` is
        /// for the end.
        public var isEnabled = true
        /// The signals before whose course is saved.
        public var signals: Set<ProcessSignal> = [.terminate, .interrupt, .hangUp, .suspend]
        /// Whether is saved, and the store closed, when the program calls `exit` or returns from its
        /// main function.
        public var savesAtExit = true
        /// How long unsaved changes may rest before they are saved while the program runs; `nil` for
        /// only at the end.
        ///
        /// The main thread is asked to, and never waited for.
        public var delay: Duration? = .seconds(5)
        /// How long the main thread has to begin with the save at the end, before the unsaved
        /// changes are written without it.
        public var gracePeriod = Duration.seconds(2)
        /// How long everything at the end may take; `nil` for what the surroundings allow: 90 s under
        /// systemd, 10 s in a container, or the seconds in `$CACHESTORE_STOP_TIMEOUT`, less a margin.
        public var deadline: Duration?

        /// Creates the default: enabled.
        public init() {}

        /// The manager never saves by itself.
        public static let off: Autosave = {
            var autosave = Autosave()
            autosave.isEnabled = false
            return autosave
        }()
    }
}

/// Where a manager's lines go if the program does not say otherwise.
enum StandardErrorLog {
    @Sendable static func write(_ line: String) {
        FileHandle.standardError.write(Data("CacheStore: \(line)\n".utf8))
    }
}
