// SPDX-License-Identifier: MIT

import CacheStoreProcess
import Foundation

/// The place of a manager's store, worked out from its configuration.
struct StoreLocation: Sendable, Hashable {
    /// The directory that is the program's own, with a `CACHEDIR.TAG`.
    let applicationDirectory: String
    /// The directory that the store is in.
    let directory: String
    /// The path of the store's file.
    let path: String
    /// Whether the program named the directory, which may then have more in it than caches.
    let isExplicit: Bool

    var url: URL { URL(filePath: path, directoryHint: .notDirectory) }

    /// Works out the place; looks at the environment and touches nothing.
    ///
    /// - Throws: `DirectoryError` with code `invalidPathComponent`, `notAbsolute` or
    ///   `noHomeDirectory`.
    init(
        _ configuration: PersistentStoreManager.Configuration, namespace: String?
    ) throws(DirectoryError) {
        let caches = try CacheDirectory.resolve(
            explicit: configuration.directory,
            environment: configuration.environment ?? ProcessInfo.processInfo.environment)
        // SQLite and the store put more behind the name: `.sqlite-journal`, `.blobs`.
        let name = try PathComponent(
            validating: configuration.storeName, as: "name of the store", reservedByteCount: 32)
        if let namespace { try Self.checkReserved(namespace, storeName: name.string) }
        applicationDirectory = try caches.directory(
            applicationIdentifier: configuration.applicationIdentifier)
        directory = try caches.directory(
            applicationIdentifier: configuration.applicationIdentifier, namespace: namespace)
        path = (directory == "/" ? "" : directory) + "/" + name.string + ".sqlite"
        isExplicit = caches.origin == .explicit
    }

    /// A namespace is a directory beside the files of the store without a namespace.
    private static func checkReserved(
        _ namespace: String, storeName: String
    ) throws(DirectoryError) {
        guard
            namespace == "quarantine" || namespace == CacheDirectoryTag.fileName
                || namespace.hasPrefix(storeName + ".")
        else { return }
        throw DirectoryError(
            .invalidPathComponent, "The namespace has the name of one of the store's own files.")
    }

    /// Makes the directory and marks it as one of caches.
    ///
    /// - Throws: `DirectoryError` with the code of what went wrong.
    func prepare() throws(DirectoryError) {
        let isNew = access(applicationDirectory, F_OK) != 0
        try CacheDirectory.create(at: directory)
        try DirectoryTrust().check(directory)
        // A directory of the program's may hold what backups must have, if it was there before.
        if isNew || !isExplicit { _ = try? CacheDirectoryTag.write(in: applicationDirectory) }
    }
}
