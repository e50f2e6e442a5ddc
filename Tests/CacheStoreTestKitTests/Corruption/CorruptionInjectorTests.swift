// SPDX-License-Identifier: MIT
import CacheStoreTestKit
import Foundation
import Testing

@Suite struct CorruptionInjectorTests {
    let folder: TemporaryFolder
    let file: URL
    let sound: Data

    init() throws {
        folder = try TemporaryFolder()
        file = folder.url.appending(path: "file")
        var random = SeededRandomNumberGenerator(seed: 1)
        sound = Data((0..<40_960).map { $0 < 4096 ? UInt8.random(in: 0...255, using: &random) : 0 })
        try sound.write(to: file)
    }

    private func differences() throws -> [Int] {
        let now = try Data(contentsOf: file)
        return (0..<min(now.count, sound.count)).filter { now[$0] != sound[$0] }
    }

    @Test func `the same seed does the same damage`() throws {
        for damage in Damage.allOfOneFile {
            var results: [Data] = []
            for _ in 1...2 {
                try sound.write(to: file)
                var injector = CorruptionInjector(seed: 42)
                try injector.inject(damage, into: file)
                results.append(try Data(contentsOf: file))
            }
            #expect(results[0] == results[1], "\(damage)")
        }
    }

    @Test func `each damage changes the file where it says`() throws {
        for damage in Damage.allOfOneFile {
            for seed in 0..<UInt64(50) {
                try sound.write(to: file)
                var injector = CorruptionInjector(seed: seed)
                let injury = try injector.inject(damage, into: file)
                #expect(injury.damage == damage)
                #expect(try Data(contentsOf: file) != sound, "\(injury)")
                let range = Int(injury.offset)..<Int(injury.offset + injury.count)
                #expect(try differences().allSatisfy { range.contains($0) }, "\(injury)")
            }
        }
    }

    @Test func `one bit is one bit, within the range`() throws {
        var injector = CorruptionInjector(seed: 5)
        let injury = try injector.flipBit(in: file, range: 100..<110)
        #expect((100..<110).contains(injury.offset))
        let now = try Data(contentsOf: file)
        let offset = Int(injury.offset)
        #expect((now[offset] ^ sound[offset]).nonzeroBitCount == 1)
    }

    @Test func `an older page comes from the older file`() throws {
        let older = folder.url.appending(path: "older")
        var old = sound
        old[8_200] = 7
        try old.write(to: older)
        var injector = CorruptionInjector(seed: 5)
        let injury = try injector.restoreOlderPage(in: file, from: older)
        #expect(injury.offset == 8_192)
        #expect(try Data(contentsOf: file) == old)
        #expect {
            try injector.restoreOlderPage(in: file, from: older)
        } throws: { CorruptionError.Code.noPlace ~= $0 }
    }

    @Test func `a file without a place for the damage is an error`() throws {
        try Data(count: 512).write(to: file)
        var injector = CorruptionInjector(seed: 5)
        #expect { try injector.zeroSector(in: file) } throws: { CorruptionError.Code.noPlace ~= $0 }
        #expect {
            try injector.overwritePageByAnother(in: file)
        } throws: { CorruptionError.Code.noPlace ~= $0 }
        #expect {
            try injector.inject(.olderPage, into: file)
        } throws: { CorruptionError.Code.needsOlderFile ~= $0 }
        try Data().write(to: file)
        #expect { try injector.flipBit(in: file) } throws: { CorruptionError.Code.noPlace ~= $0 }
        #expect { try injector.truncate(file) } throws: { CorruptionError.Code.noPlace ~= $0 }
    }
}
