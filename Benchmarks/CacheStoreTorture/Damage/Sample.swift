// SPDX-License-Identifier: MIT

import CacheStoreTestKit
import Foundation

/// A sound store that was closed, an older version of its file, and what it holds.
@MainActor
struct Sample {
    let file: URL
    let olderFile: URL
    let content: [String: String]
    /// The free pages whose content nothing reads.
    private let unusedPages: Set<UInt64>

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
        try store.fill(photos: 900, from: 2_000, seed: seed &+ 3)
        try store.close()
        store = try AlbumStore(at: file)
        content = try store.content()
        try store.close()
        unusedPages = try Self.unusedPages(of: file)
    }

    /// Whether a damage was done to what nothing reads: the list of free pages names some that have
    /// no content (https://sqlite.org/fileformat2.html#the_freelist), and without the generation in
    /// the first page only the sums are not believed.
    func isUnused(_ injury: Injury) -> Bool {
        if injury.damage == .oneBit, (72..<88).contains(injury.offset) { return true }
        return injury.damage != .truncation
            && (injury.offset / 4_096...(injury.offset + injury.count - 1) / 4_096)
                .allSatisfy(unusedPages.contains)
    }

    /// The pages, counted from 0.
    private static func unusedPages(of file: URL) throws -> Set<UInt64> {
        let data = try Data(contentsOf: file)
        func number(at offset: Int) -> Int {
            data[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        var pages: Set<UInt64> = []
        var trunk = number(at: 32)
        while trunk != 0 {
            let start = (trunk - 1) * 4_096
            for index in 0..<number(at: start + 4) {
                pages.insert(UInt64(number(at: start + 8 + 4 * index) - 1))
            }
            trunk = number(at: start)
        }
        return pages
    }
}
