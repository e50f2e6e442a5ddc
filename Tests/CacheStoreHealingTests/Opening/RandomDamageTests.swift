// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import CacheStoreTestKit
import Foundation
import Testing

@testable import CacheStoreHealing

/// Stores of our own, damaged at random. `CACHESTORE_TEST_SEED` repeats a run;
/// `CACHESTORE_SLOW_TESTS` makes it longer.
@Suite struct RandomDamageTests {
    @Test func `after any damage the store is whole, or empty and says so`() throws {
        let seed = TestSeed.make()
        let rounds = TestSeed.areTestsSlow ? 3000 : 60
        var random = SeededRandomNumberGenerator(seed: seed)
        let original = try TemporaryStore()
        try original.fill(count: 800)
        let image = try #require(original.contents())
        var resets = 0
        for round in 0..<rounds {
            let store = try TemporaryStore(syncsForNothing: true)
            let damage = Damage.random(in: image.count, using: &random)
            try damage.applied(to: image).write(to: store.url)
            var options = StoreOptions()
            options.verification.schedule = .always
            let note = Comment("seed \(seed), round \(round): \(damage)")
            let opened = try store.open(options: options)
            let file = try #require(opened.file, note)
            if opened.report.wasResetOrCreated {
                resets += 1
                #expect(try file.countNotes() == 0, note)
            } else {
                #expect(try file.countNotes() == 800, note)
            }
            try file.addNotes(1)
            try file.close()
        }
        #expect(resets > 0, "seed \(seed)")
    }

    enum Damage {
        case bytes(at: Int, [UInt8])
        case cut(to: Int)
        case page(Int, from: Int)

        static func random(in size: Int, using random: inout SeededRandomNumberGenerator) -> Damage
        {
            let pages = size / 4096
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let length = Int.random(in: 1...600, using: &random)
                return .bytes(
                    at: Int.random(in: 0..<size - length, using: &random),
                    (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) })
            case 1:
                return .bytes(
                    at: Int.random(in: 0..<size - 512, using: &random) / 512 * 512,
                    [UInt8](repeating: 0, count: 512))
            case 2: return .cut(to: Int.random(in: 0..<size, using: &random))
            default:
                return .page(
                    Int.random(in: 0..<pages, using: &random),
                    from: Int.random(in: 0..<pages, using: &random))
            }
        }

        func applied(to image: Data) -> Data {
            var image = image
            switch self {
            case .bytes(let offset, let bytes):
                image.replaceSubrange(offset..<offset + bytes.count, with: bytes)
            case .cut(let size): image = image.prefix(size)
            case .page(let page, let other):
                let source = image.subdata(in: other * 4096..<(other + 1) * 4096)
                image.replaceSubrange(page * 4096..<(page + 1) * 4096, with: source)
            }
            return image
        }
    }
}
