// SPDX-License-Identifier: MIT

import CacheStoreTestKit
import Foundation
import Testing

@testable import PackageCatalog

@Suite struct DebianVersionTests {
    @Test(arguments: [
        ("1.0", "1.1"), ("1.9", "1.10"), ("1.0", "1.0.1"), ("1.0-1", "1.0-2"),
        ("9:1.0", "10:0.1"), ("2.0", "1:1.0"), ("1.0~rc1", "1.0"), ("1.0~~", "1.0~"),
        ("1.0~rc1", "1.0~rc2"), ("1.0~", "1.0"), ("1.0", "1.0a"), ("1.0a", "1.0+b"),
        ("1.0z", "1.0+"), ("1.0", "1.0-1"), ("1.0-1~bpo12+1", "1.0-1"), ("1.0-1", "1.0-1+b1"),
        ("1.2-3", "1.2-3-1"), ("1.0", "1.0.99999999999999999999999"), ("A", "a"), ("", "1"),
        ("~", ""), ("1:", "1:0.1"), ("2.6.1+deb12u1", "2.6.1+deb12u2"),
    ])
    func `the first version is older than the second`(older: String, newer: String) {
        #expect(DebianVersion(older) < DebianVersion(newer))
        #expect(!(DebianVersion(newer) < DebianVersion(older)))
        #expect(DebianVersion(older) != DebianVersion(newer))
    }

    @Test(arguments: [
        ("1.0", "1.00"), ("0:1.0", "1.0"), ("1.0-0", "1.0"), ("1.0-", "1.0"), ("1.0a", "1.0a0"),
        ("00:1", "1"),
    ])
    func `versions may be equal and written differently`(one: String, other: String) {
        #expect(DebianVersion(one) == DebianVersion(other))
    }

    @Test func `text before a colon that is no number is no epoch`() {
        #expect(DebianVersion("x:9") < DebianVersion("1:0"))
        #expect(DebianVersion("x:9") > DebianVersion("9"))
    }

    private static let dpkg = "/usr/bin/dpkg"

    /// What dpkg thinks of each pair: -1, 0 or 1.
    private func orders(of pairs: [(String, String)]) throws -> [Int] {
        let script = """
            while read -r a b; do
                if \(Self.dpkg) --compare-versions "$a" lt-nl "$b"; then echo -1
                elif \(Self.dpkg) --compare-versions "$a" eq "$b"; then echo 0
                else echo 1; fi
            done
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let lines = pairs.map { "\($0.0) \($0.1)\n" }.joined()
        try input.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
        try input.fileHandleForWriting.close()
        let answer = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: answer, as: UTF8.self).split(separator: "\n").compactMap {
            Int($0)
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: dpkg)))
    func `random versions compare as dpkg compares them`() throws {
        let seed = TestSeed.make()
        print("CACHESTORE_TEST_SEED=\(seed)")
        var random = SeededRandomNumberGenerator(seed: seed)
        let pieces = [
            "0", "1", "10", "007", "9", "a", "Z", "rc", "~", "~~", "+", ".", "+b", "-", "-1",
        ]
        func version() -> String {
            let epoch = Int.random(in: 0..<4, using: &random) == 0 ? "1:" : ""
            let count = Int.random(in: 0...4, using: &random)
            return epoch + "1"
                + (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined() + "0"
        }
        let pairs = (0..<120).map { _ in (version(), version()) }
        let expected = try orders(of: pairs)
        try #require(expected.count == pairs.count)
        for (pair, order) in zip(pairs, expected) {
            let (left, right) = (DebianVersion(pair.0), DebianVersion(pair.1))
            let ours = left < right ? -1 : left == right ? 0 : 1
            #expect(ours == order, "\(pair.0) and \(pair.1), seed \(seed)")
        }
    }
}
