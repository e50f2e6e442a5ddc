// SPDX-License-Identifier: MIT

import Foundation

extension StoreOpener {
    /// Opens a store again that was given up while it was in use, and heals it where it needs that.
    ///
    /// The old object is closed and stays unusable; what still works with it gets its error. Where the
    /// store turns out to be whole, it is the same store, and the report says `opened`. Else its
    /// content is lost to the session, and the report's cause says why: `damaged`, `removed`,
    /// `replaced`.
    ///
    /// - Throws: as ``open(at:content:options:)``; the store can then be tried again.
    package static func reopen(
        _ failed: StoreFile, content: any StoreContent
    ) throws -> OpenedStore {
        // What it could say was said when it was given up.
        try? failed.close(clean: false)
        var opened = try open(at: failed.url, content: content, options: failed.options)
        if opened.file == nil, let error = opened.report.underlyingError as? PersistentStoreError,
            error.code == .busy || error.code == .outOfResources
        {
            // A session in memory is for good; this passes.
            throw error
        }
        opened.report.continueSession(of: failed.identifier)
        return opened
    }
}

extension StoreOpenReport {
    /// Makes this the report of a store that was open before, with the given identity.
    mutating func continueSession(of identifier: UUID) {
        if outcome == .created {
            if cause == .fileMissing { cause = .removed }
            oldStoreIdentifier = oldStoreIdentifier ?? identifier
        } else if outcome == .opened || outcome == .migrated, storeIdentifier != identifier {
            outcome = .reset
            cause = .replaced
            oldStoreIdentifier = identifier
        }
    }
}
