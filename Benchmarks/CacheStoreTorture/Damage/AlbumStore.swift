// SPDX-License-Identifier: MIT

import CacheStore
import CacheStoreTestKit
import Foundation
import Synchronization

/// A store with albums that is open.
@MainActor
final class AlbumStore {
    let report: StoreOpenReport
    private let coordinator: PersistentStoreCoordinator
    private let context: ManagedObjectContext
    /// What could not be thrown while properties were read.
    private let failure: SharedFailure

    private final class SharedFailure: Sendable {
        let first = Mutex<(any Error)?>(nil)
    }

    init(
        at url: URL, verification: PersistentStoreDescription.Verification = .afterUncleanShutdown
    ) throws {
        coordinator = PersistentStoreCoordinator(managedObjectModel: Album.model)
        var description = PersistentStoreDescription(url: url)
        description.verification = verification
        description.verificationDeadline = .seconds(60)
        description.quarantinedSets = 0
        report = try coordinator.addPersistentStore(description)
        context = try ManagedObjectContext(coordinator: coordinator)
        let failure = SharedFailure()
        self.failure = failure
        coordinator.setErrorHandler { error, _ in
            failure.first.withLock { $0 = $0 ?? error }
        }
    }

    /// Whether the store was given up, and the program told so, while it was open.
    var wasResetInUse: Bool { coordinator.resetReport != nil }

    func close() throws { try coordinator.removePersistentStore() }

    // MARK: Content

    func fill(photos count: Int, from first: Int, seed: UInt64) throws {
        var random = SeededRandomNumberGenerator(seed: seed)
        var album: Album?
        for number in first..<first + count {
            if number % 50 == 0 || album == nil {
                album = context.insert(Album.self)
                album?.number = number / 50
                album?.title = "album \(number / 50)"
            }
            let photo = context.insert(Photo.self)
            photo.number = number
            photo.album = album
            change(photo, &random)
        }
        try context.save()
    }

    /// Changes every so many photographs, and deletes some: a file has pages that are free.
    func change(every step: Int, seed: UInt64) throws {
        var random = SeededRandomNumberGenerator(seed: seed)
        let photos = try context.fetch(FetchRequest<Photo>(sortBy: [SortDescriptor(\.number)]))
        for photo in photos where photo.number % step == 0 { change(photo, &random) }
        for photo in photos where photo.number % step == 1 { context.delete(photo) }
        try context.save()
    }

    private func change(_ photo: Photo, _ random: inout SeededRandomNumberGenerator) {
        photo.name = "photo \(photo.number) \(UInt32.random(in: 0...UInt32.max, using: &random))"
        photo.score = Double.random(in: 0..<1, using: &random)
        photo.takenAt = Date(
            timeIntervalSince1970: Double(Int.random(in: 0..<2_000_000_000, using: &random)))
        photo.isFavourite = Bool.random(using: &random)
        // Now and then larger than a page.
        let size = Int.random(in: 0..<20, using: &random) == 0 ? 9_000 : 300
        photo.thumbnail = Data(
            (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    /// Reads everything: each object as a text of its own, by the objects and by the indexes.
    func content() throws -> [String: String] {
        var content: [String: String] = [:]
        let photos = try context.fetch(FetchRequest<Photo>())
        for photo in photos {
            content["photo \(photo.number)"] = """
                \(photo.name) \(photo.score) \(photo.takenAt.timeIntervalSince1970) \
                \(photo.isFavourite) \(photo.thumbnail.base64EncodedString()) \
                \(photo.album?.number ?? -1)
                """
        }
        for album in try context.fetch(FetchRequest<Album>()) {
            let numbers = album.photos.map(\.number).sorted()
            content["album \(album.number)"] = "\(album.title) \(numbers)"
        }
        for start in stride(from: 0, to: 4_000, by: 400) {
            let end = start + 400
            let found = try context.count(
                for: FetchRequest<Photo>(
                    where: #Predicate { $0.number >= start && $0.number < end }))
            content["photos from \(start)"] = "\(found)"
        }
        if let error = failure.first.withLock({ $0 }) { throw error }
        return content
    }

    /// Whether something can be saved.
    func savesAnObject() throws {
        let album = context.insert(Album.self)
        album.number = 1_000_000
        album.title = "saved after all"
        try context.save()
    }

    func hasSavedObject() throws -> Bool {
        let number = 1_000_000
        return try context.count(
            for: FetchRequest<Album>(where: #Predicate { $0.number == number })) == 1
    }
}
