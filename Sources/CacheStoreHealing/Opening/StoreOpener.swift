// SPDX-License-Identifier: MIT

import CacheStoreProcess
package import Foundation

/// Opens store files, and heals them where they need it.
package enum StoreOpener {
    /// Opens the store at a place: whatever is there, an empty store or the one that was left.
    ///
    /// The directory is created if it is missing. Costs one to two milliseconds for a store that was
    /// closed cleanly, whatever its size.
    ///
    /// - Throws: ``PersistentStoreError`` where nothing says that the file is damaged but it cannot
    ///   be had: `busy`, `noSpace`, `permissionDenied`, `readOnly`, `outOfResources`,
    ///   `unavailable`, `forked`, `invalidConfiguration`; `damaged` when a reset did not help. With
    ///   the policy `inMemory` only the last but one and `forked` are thrown.
    package static func open(
        at url: URL, content: any StoreContent, options: StoreOptions = StoreOptions()
    ) throws -> OpenedStore {
        try run(.open, at: url, content, options)
    }

    /// Empties the store at a place, keeping nothing, and opens it. It must not be open.
    ///
    /// - Throws: as ``open(at:content:options:)``; `busy` also when it is open.
    package static func reset(
        at url: URL, content: any StoreContent, options: StoreOptions = StoreOptions()
    ) throws -> OpenedStore {
        try run(.reset, at: url, content, options)
    }

    private static func run(
        _ intent: StoreOpeningStateMachine.Intent, at url: URL, _ content: any StoreContent,
        _ options: StoreOptions
    ) throws -> OpenedStore {
        StandardDescriptors.occupy()
        FileSizeLimit.becomeAnError()
        let paths = try StorePaths(resolving: url)
        let opening = StoreOpening(paths: paths, content: content, options: options)
        do {
            let file = try opening.run(
                StoreOpeningStateMachine(
                    intent: intent, verification: options.verification.schedule,
                    isReadOnly: options.isReadOnly,
                    salvages: options.onDamage == .salvage))
            return OpenedStore(file: file, report: opening.report)
        } catch {
            let error = PersistentStoreError(wrapping: error, path: paths.main)
            guard options.onUnavailable == .inMemory, error.code != .invalidConfiguration,
                error.code != .forked
            else { throw error }
            return OpenedStore(file: nil, report: opening.reportInMemory(because: error))
        }
    }
}
