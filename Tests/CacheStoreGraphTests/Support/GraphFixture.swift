// SPDX-License-Identifier: MIT

import CacheStoreGraph
import CacheStoreModel
import Foundation
import Synchronization
import Testing

/// A coordinator with an empty store of one kind, in a directory of its own.
///
/// The contexts live as long as the fixture, and the directories as long as the process: the compiler
/// may let go of a fixture after its last mention, while a test still works with its store.
final class GraphFixture {
    enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case memory, sqlite
        var testDescription: String { rawValue }
    }

    let coordinator: PersistentStoreCoordinator
    let directory: URL
    private var contexts: [ManagedObjectContext] = []

    private static let root: URL = {
        let root = FileManager.default.temporaryDirectory
            .appendingPathComponent("CacheStoreGraphTests-\(UUID().uuidString)")
        pathToRemove.withLock { $0 = root }
        atexit {
            if let root = pathToRemove.withLock({ $0 }) {
                try? FileManager.default.removeItem(at: root)
            }
        }
        return root
    }()
    private static let pathToRemove = Mutex<URL?>(nil)

    init(_ kind: Kind = .memory, model: ManagedObjectModel = libraryModel) throws {
        directory = Self.root.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        switch kind {
        case .memory: try coordinator.addPersistentStore(.inMemory)
        case .sqlite:
            try coordinator.addPersistentStore(
                PersistentStoreDescription(
                    url: directory.appendingPathComponent("store.sqlite")))
        }
    }

    func makeContext() throws -> ManagedObjectContext {
        let context = try ManagedObjectContext(coordinator: coordinator)
        contexts.append(context)
        return context
    }
}
