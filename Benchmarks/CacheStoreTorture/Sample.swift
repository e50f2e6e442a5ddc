// SPDX-License-Identifier: MIT

import Foundation

/// A sound store that was closed, an older version of its file, and what it holds.
@MainActor
struct Sample {
    let file: URL
    let olderFile: URL
    let content: [String: String]

    init(in folder: URL, seed: UInt64) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        file = folder.appending(path: "sample.sqlite")
        olderFile = folder.appending(path: "older.sqlite")
        var store = try AlbumStore(at: file)
        try store.fill(photos: 1_500, from: 0, seed: seed)
        try store.change(every: 10, seed: seed &+ 1)
        try store.close()
        try FileManager.default.copyItem(at: file, to: olderFile)
        store = try AlbumStore(at: file)
        try store.change(every: 7, seed: seed &+ 2)
        try store.fill(photos: 500, from: 2_000, seed: seed &+ 3)
        try store.close()
        store = try AlbumStore(at: file)
        content = try store.content()
        try store.close()
    }
}
