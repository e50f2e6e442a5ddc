// SPDX-License-Identifier: MIT

import Foundation

/// One save of a work, and what it makes of a content.
struct ItemChange: Sendable {
    let generation: Int
    var inserts = 0..<0
    /// Every so many of the existing items are updated, or deleted; 0 is none.
    var updatesEvery = 0
    var deletesEvery = 0
    /// The item that has a picture, large enough for a file of its own.
    var pictured: Int?

    var changesExisting: Bool { updatesEvery > 0 || deletesEvery > 0 }

    func deletes(_ number: Int) -> Bool { deletesEvery > 0 && number % deletesEvery == 1 }

    func updates(_ number: Int) -> Bool { updatesEvery > 0 && number % updatesEvery == 0 }

    func text(of number: Int) -> String {
        "item \(number) of \(generation) " + String(repeating: "x", count: number * 37 % 300)
    }

    func picture(of number: Int) -> Data? {
        number == pictured
            ? Data(repeating: UInt8(truncatingIfNeeded: number), count: 110_000) : nil
    }

    /// The content after this change.
    func applied(to content: [Int: String]) -> [Int: String] {
        var content = content.filter { !deletes($0.key) }
        for number in content.keys where updates(number) { content[number] = text(of: number) }
        for number in inserts {
            let picture =
                picture(of: number).map { "\($0.count) \($0.digest)" } ?? ""
            content[number] = text(of: number) + picture
        }
        return content
    }
}
