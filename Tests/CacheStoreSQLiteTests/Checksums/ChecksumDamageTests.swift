// SPDX-License-Identifier: MIT
import CacheStoreTestKit
import Foundation
import Testing

@testable import CacheStoreSQLite

/// Damage of every kind at random places of a store of 2 MB: what is read is right, or an error.
///
/// 200 tries each, 2,000 with `CACHESTORE_SLOW_TESTS=1`. A failure names the seed;
/// `CACHESTORE_TEST_SEED` runs it again.
@Suite struct ChecksumDamageTests {
    private static let tries = TestSeed.areTestsSlow ? 2_000 : 200

    private enum Outcome { case error, right, wrong }

    private func outcome(of store: ChecksumStore, expected: [String]) -> Outcome {
        do {
            guard try store.content() == expected else { return .wrong }
            // The pages that hold no content: of the pointer map, say.
            let connection = try store.connection(mode: .readOnly)
            return try connection.integrityCheck().isOK ? .right : .error
        } catch {
            return .error
        }
    }

    @Test(arguments: Damage.allOfOneFile)
    func `damage is never read as data`(damage: Damage) throws {
        let seed = TestSeed.make()
        let store = try ChecksumStore(rows: 2_400)
        let expected = try store.content()
        let sound = try store.bytes()
        #expect(sound.count > 1_900_000)
        var injector = CorruptionInjector(seed: seed)
        var counts: [Outcome: Int] = [:]
        for attempt in 1...Self.tries {
            try sound.write(to: store.url)
            let injury = try injector.inject(damage, into: store.url)
            let outcome = outcome(of: store, expected: expected)
            counts[outcome, default: 0] += 1
            #expect(
                outcome == .error,
                "\(outcome), CACHESTORE_TEST_SEED=\(seed), try \(attempt), \(injury)")
        }
        print("\(damage)\t\(Self.tries)\t\(counts[.error] ?? 0)\t\(counts[.wrong] ?? 0)")
    }

    @Test func `a file that ends within its last page is an error`() throws {
        let store = try ChecksumStore(rows: 200)
        let expected = try store.content()
        let sound = try store.bytes()
        for missing in stride(from: 1, through: 4096, by: 63) {
            try sound.dropLast(missing).write(to: store.url)
            #expect(outcome(of: store, expected: expected) == .error, "\(missing) bytes less")
        }
    }

    @Test func `a header that denies the checksums is damage itself`() throws {
        let store = try ChecksumStore(rows: 20)
        try store.database.overwrite(at: 20, with: [0])
        let error = try sqliteError { _ = try store.content() }
        #expect(error.code == .SQLITE_IOERR_DATA)
    }

    @Test func `one bit in the first page is an error, or is read by nobody`() throws {
        let store = try ChecksumStore(rows: 20, pageSize: 512)
        let expected = try store.content()
        let sound = try store.bytes()
        for bit in 0..<512 * 8 {
            var damaged = sound
            damaged[bit / 8] ^= 1 << (bit % 8)
            try damaged.write(to: store.url)
            // The generation, which only says whether the sums of the pages may be believed.
            let isOfGeneration = (72..<88).contains(bit / 8)
            let outcome = outcome(of: store, expected: expected)
            #expect(outcome == (isOfGeneration ? .right : .error), "bit \(bit)")
        }
    }

    /// A page as it was before has a checksum that fits, but not its sum in the side file. The first
    /// page is left out: with an older one, the sums are of another generation.
    @Test func `pages of an older version are never read as data`() throws {
        let seed = TestSeed.make()
        let store = try ChangedStore(rows: 2_000)
        var random = SeededRandomNumberGenerator(seed: seed)
        let pages = store.stalePages
        var counts: [Outcome: Int] = [:]
        for _ in 1...Self.tries {
            let page = try #require(pages.randomElement(using: &random))
            try store.restorePage(page)
            let outcome = outcome(of: store.store, expected: store.content)
            counts[outcome, default: 0] += 1
            #expect(outcome != .wrong, "CACHESTORE_TEST_SEED=\(seed), page \(page)")
        }
        print("\(Damage.olderPage)\t\(Self.tries)\t\(counts[.error] ?? 0)\t\(counts[.wrong] ?? 0)")
        #expect((counts[.error] ?? 0) > Self.tries / 2)
    }
}
