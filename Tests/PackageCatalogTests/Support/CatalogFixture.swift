// SPDX-License-Identifier: MIT

import CacheStore
import Foundation
import Testing

@testable import PackageCatalog

/// A catalogue of one test: a store in memory, or in a file, and a context of it.
final class CatalogFixture {
    enum Kind: CaseIterable, Sendable {
        case memory, file
    }

    let context: ManagedObjectContext
    private let coordinator: PersistentStoreCoordinator
    private let folder: TemporaryFolder

    init(_ kind: Kind = .memory) throws {
        folder = try TemporaryFolder()
        coordinator = PersistentStoreCoordinator(managedObjectModel: CatalogModel.shared)
        switch kind {
        case .memory: try coordinator.addPersistentStore(.inMemory)
        case .file:
            try coordinator.addPersistentStore(
                PersistentStoreDescription(url: folder.url.appendingPathComponent("c.sqlite")))
        }
        context = try ManagedObjectContext(coordinator: coordinator)
    }

    deinit { try? coordinator.removePersistentStore() }

    /// Brings the stanzas of a text in, as a refresh with a number would, and saves.
    func add(_ text: String, refresh number: Int64 = 1) throws {
        var importer = BatchImporter(into: context, refreshNumber: number)
        try importer.importEntries(Self.entries(text))
        try context.save()
        context.reset()
    }

    /// Notes that a refresh was finished, or was not.
    func noteRefresh(_ number: Int64, isFinished: Bool = true) throws {
        let refresh = context.insert(Refresh.self)
        refresh.number = number
        refresh.finishedAt = isFinished ? Date(timeIntervalSince1970: 1_000) : nil
        try context.save()
    }

    func package(_ name: String) throws -> Package? {
        try PackageSearch(context: context).package(named: name)
    }

    func count<Object: ManagedObject>(_ objectClass: Object.Type) throws -> Int {
        try context.count(for: FetchRequest<Object>())
    }

    static func entries(_ text: String) -> [CatalogEntry] {
        var entries: [CatalogEntry] = []
        var parser = ControlParser()
        func take(_ stanza: ControlStanza) {
            if let entry = CatalogEntry(stanza) { entries.append(entry) }
        }
        Array(text.utf8).withUnsafeBytes { parser.consume($0) { take($0) } }
        parser.finish { take($0) }
        return entries
    }
}
