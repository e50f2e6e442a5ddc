// SPDX-License-Identifier: MIT

import CacheStoreGraph
import Foundation
import Testing

/// A library in a file that was opened and not yet read: ten photos with an album and tags, and
/// comments that fill most of its pages.
final class DamageableLibrary {
    static let comments = 3_000

    let coordinator: PersistentStoreCoordinator
    let path: String

    init() throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("CacheStoreGraphTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        path = directory.appendingPathComponent("store.sqlite").path
        let store = PersistentStoreDescription(url: URL(filePath: path))
        let container = try PersistentContainer(model: libraryModel, store: store)
        let context = try container.makeContext()
        let album = context.insert(Album.self)
        album.title = "album"
        for number in 0..<10 {
            let photo = context.insert(Photo.self)
            photo.title = "photo \(number)"
            photo.notes = "notes \(number)"
            photo.rating = number % 5
            photo.album = album
            photo.tags = (0..<2).map {
                let tag = context.insert(Tag.self)
                tag.name = "tag \(number) \($0)"
                return tag
            }
        }
        try context.save()
        for number in 0..<Self.comments {
            context.insert(Comment.self).text =
                "\(number) " + String(repeating: "x", count: 200)
        }
        try context.save()
        try container.close()
        coordinator = PersistentStoreCoordinator(managedObjectModel: libraryModel)
        try coordinator.addPersistentStore(store)
    }

    deinit {
        try? FileManager.default.removeItem(
            at: URL(filePath: path).deletingLastPathComponent())
    }

    /// Damages the pages of most comments.
    func damage() throws { Self.damage(path) }

    static func damage(_ path: String) {
        // The handle is left open: closing it would take SQLite's locks away.
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        let size = Int(lseek(descriptor, 0, SEEK_END))
        let zeros = [UInt8](repeating: 0, count: 512)
        for page in size / 4096 / 3..<size / 4096 {
            pwrite(descriptor, zeros, zeros.count, off_t(page * 4096 + 2048))
        }
    }

    /// Damages a page, and mends it as soon as somebody has met that.
    func damageForOneRead() throws {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        let size = Int(lseek(descriptor, 0, SEEK_END))
        let offset = off_t(size / 4096 / 2 * 4096 + 100)
        var byte: [UInt8] = [0]
        pread(descriptor, &byte, 1, offset)
        let mended = byte
        byte[0] ^= 0x10
        pwrite(descriptor, byte, 1, offset)
        // Whoever heals has to wait for these locks, and by then it is mended.
        let stem = String(path.dropLast("sqlite".count))
        let use = open(stem + "lock", O_RDWR | O_CLOEXEC)
        let writing = open(stem + "writer.lock", O_RDWR | O_CLOEXEC)
        guard flock(use, LOCK_SH) == 0, flock(writing, LOCK_EX) == 0 else {
            throw CocoaError(.fileLocking)
        }
        Thread.detachNewThread {
            let deadline = Date(timeIntervalSinceNow: 60)
            while access(stem + "damaged", F_OK) != 0, Date() < deadline { usleep(500) }
            pwrite(descriptor, mended, 1, offset)
            close(writing)
            close(use)
        }
    }

    /// Removes the file and its log.
    func remove() {
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    }
}
