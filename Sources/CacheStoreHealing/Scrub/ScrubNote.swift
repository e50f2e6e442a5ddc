// SPDX-License-Identifier: MIT

import Foundation

/// How far a store was read through, in a small file beside it. Best effort.
enum ScrubNote {
    /// The page to go on with; the first where nothing is known of this store.
    static func read(_ paths: StorePaths, _ identifier: UUID) -> Int {
        guard let file = try? RawFile(reading: paths.scrubNote),
            let bytes = try? file.read(count: 200)
        else { return 1 }
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 2, words[0] == identifier.uuidString, let page = Int(words[1]) else {
            return 1
        }
        return max(1, page)
    }

    static func write(_ page: Int, _ paths: StorePaths, _ identifier: UUID) {
        let new = paths.scrubNote + ".new"
        try? FileTree.remove(new)
        guard let file = try? RawFile(creating: new),
            (try? file.append(Array("\(identifier.uuidString) \(page)\n".utf8))) != nil
        else { return }
        try? FileTree.rename(new, to: paths.scrubNote)
    }

    static func remove(_ paths: StorePaths) { try? FileTree.remove(paths.scrubNote) }
}
