// SPDX-License-Identifier: MIT

import CacheStore
import Foundation
import Synchronization

/// A manager of notes that remembers what was reported to it.
class NoteCache: PersistentStoreManager {
    nonisolated let reports = Mutex<[String]>([])
    /// What cleaning up does; counted whether or not it is set.
    var cleanUp: ((ManagedObjectContext) throws -> Void)?
    private(set) var cleanUps = 0

    override func cleanUpOldObjects(in context: ManagedObjectContext) throws {
        cleanUps += 1
        try cleanUp?(context)
    }

    nonisolated override func handleSaveError(_ error: any Error, saving what: String) {
        reports.withLock { $0.append("\(what): \(error)") }
    }

    nonisolated override func handleOpenError(_ error: any Error) {
        reports.withLock { $0.append("open: \(error)") }
    }

    nonisolated override func storeWasReset(_ report: StoreOpenReport) {
        reports.withLock { $0.append("reset: \(report.cause)") }
    }

    nonisolated var reported: [String] { reports.withLock { $0 } }

    /// A manager of a store in a directory, which does nothing by itself unless told to.
    nonisolated static func opening(
        _ directory: String, _ change: (inout Configuration) -> Void = { _ in }
    ) -> Self {
        var configuration = Configuration(
            applicationIdentifier: "org.example.Notes", model: .notes)
        configuration.directory = URL(filePath: directory, directoryHint: .isDirectory)
        configuration.storeName = "Notes"
        configuration.autosave = .off
        configuration.log = { _ in }
        change(&configuration)
        return Self(configuration: configuration)
    }

    /// The numbers of all notes in the store, sorted.
    func numbers() throws -> [Int] {
        try managedObjectContext.fetch(FetchRequest<Note>()).map(\.number).sorted()
    }

    @discardableResult
    func insert(_ number: Int) -> Note {
        let note = managedObjectContext.insert(Note.self)
        note.number = number
        return note
    }
}
