// SPDX-License-Identifier: MIT

import CacheStore
import Foundation
import Synchronization

/// The cache of the catalogue.
///
/// Everything in it can be read from the lists again, so it needs no care: what is damaged is
/// replaced, what is unsaved at the end is saved, and what no list has any more is dropped.
final class PackageCache: PersistentStoreManager {
    private nonisolated static let chosenDirectory = Mutex<URL?>(nil)

    /// Takes the directory that the user names. Counts until the cache is opened.
    nonisolated static func chooseDirectory(_ path: String) {
        let directory = URL(filePath: path, directoryHint: .isDirectory).standardizedFileURL
        chosenDirectory.withLock { $0 = directory }
    }

    override class var configuration: Configuration {
        var configuration = Configuration(
            applicationIdentifier: "org.cachestore.PackageCatalog", model: CatalogModel.shared)
        configuration.directory = chosenDirectory.withLock { $0 }
        configuration.storeName = "Catalog"
        return configuration
    }

    override func cleanUpOldObjects(in context: ManagedObjectContext) throws {
        try CatalogSweep(context: context).run()
    }

    override func handleSaveError(_ error: any Error, saving what: String) {
        StandardError.write("\(what) could not be saved: \(error)")
    }
}
