// SPDX-License-Identifier: MIT

import CacheStore
import Foundation

/// This package: objects in a context.
@MainActor
final class OurContestant: Contestant {
    private var stack: OurStack?
    private var selection: [SamplePhoto] = []
    private var ids: [ManagedObjectID] = []

    func open(in folder: URL) throws {
        stack = try OurStack(opening: folder, model: SamplePhoto.model)
    }

    func close() throws {
        selection = []
        ids = []
        let coordinator = try openStack().coordinator
        stack = nil
        try coordinator.removePersistentStore()
    }

    func readMetadata() throws -> UInt64 {
        // Opening has read it: the identity of the store is in the same row as its version.
        guard let identifier = try openStack().report.storeIdentifier else {
            throw BenchmarkError("the metadata is missing")
        }
        return UInt64(identifier.uuid.0)
    }

    func isWhole(rowCount: Int) throws -> Bool {
        let stack = try openStack()
        guard stack.report.outcome == .opened else { return false }
        let name = SampleRow.name(ofSerial: rowCount - 1)
        return try stack.context.count(
            for: FetchRequest<SamplePhoto>(where: #Predicate { $0.name == name })) == 1
    }

    func insert(_ rows: [SampleRow]) throws {
        let context = try openStack().context
        for row in rows { context.insert(SamplePhoto.self).take(row) }
        try context.save()
    }

    func fetchAndReadAll() throws -> UInt64 {
        let photos = try openStack().context.fetch(FetchRequest<SamplePhoto>())
        // Loops, because a closure here would ask at each call whether this is the main actor.
        var sum: UInt64 = 0
        for photo in photos { sum &+= photo.checksum }
        return sum
    }

    func fetchAndReadOne() throws -> UInt64 {
        let photos = try openStack().context.fetch(FetchRequest<SamplePhoto>())
        var sum: UInt64 = 0
        for photo in photos { sum &+= UInt64(bitPattern: photo.views) }
        return sum
    }

    func lookUp(_ names: [String]) throws -> UInt64 {
        let context = try openStack().context
        var sum: UInt64 = 0
        for name in names {
            let request = FetchRequest<SamplePhoto>(where: #Predicate { $0.name == name })
            guard let photo = try context.fetch(request).first else {
                throw BenchmarkError("a row is missing")
            }
            sum &+= photo.checksum
        }
        return sum
    }

    func rememberIDs() throws {
        let context = try openStack().context
        ids = try context.objectIDs(
            for: FetchRequest<SamplePhoto>(sortBy: [SortDescriptor(\.serial)]))
        context.reset()
    }

    func lookUpIDs(at positions: [Int]) throws -> UInt64 {
        let context = try openStack().context
        var sum: UInt64 = 0
        for position in positions {
            let photo = try context.existingObject(SamplePhoto.self, with: ids[position])
            sum &+= photo.checksum
        }
        return sum
    }

    func select(first count: Int) throws {
        selection = try openStack().context.fetch(
            FetchRequest<SamplePhoto>(sortBy: [SortDescriptor(\.serial)], limit: count))
    }

    func select(named names: [String]) throws {
        let context = try openStack().context
        selection = try names.flatMap { name in
            try context.fetch(FetchRequest<SamplePhoto>(where: #Predicate { $0.name == name }))
        }
    }

    func updateSelection() throws {
        for photo in selection { photo.rating += 1 }
        try openStack().context.save()
    }

    func deleteSelection() throws {
        let context = try openStack().context
        for photo in selection { context.delete(photo) }
        selection = []
        try context.save()
    }

    private func openStack() throws -> OurStack {
        guard let stack else { throw BenchmarkError("the store is not open") }
        return stack
    }
}
