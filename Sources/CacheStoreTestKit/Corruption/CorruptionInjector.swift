// SPDX-License-Identifier: MIT
public import Foundation

/// Damages a file, at random places that a seed decides.
///
/// Damage a copy of a store, or one that nobody has open, and see what your program makes of it:
///
/// ```swift
/// var injector = CorruptionInjector(seed: 7)
/// let injury = try injector.inject(.oneBit, into: storeURL)
/// let cache = try openMyCache()
/// #expect(cache.wasResetOrCreated, "\(injury)")
/// ```
///
/// Every call changes something: a sector that is zero already, or a page that equals the other one,
/// is not chosen. Opening and closing a file drops the POSIX locks that the process has on it
/// (<https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_>):
/// never use it on a file that the same process has open.
public struct CorruptionInjector: Sendable {
    private var random: SeededRandomNumberGenerator
    /// The size of a page, for damage to pages.
    public let pageSize: Int

    /// Creates an injector.
    ///
    /// - Parameters:
    ///   - seed: decides all places.
    ///   - pageSize: the size of a page of the files, for damage to pages.
    public init(seed: UInt64, pageSize: Int = 4096) {
        precondition(pageSize > 0, "a page has a size")
        random = SeededRandomNumberGenerator(seed: seed)
        self.pageSize = pageSize
    }

    /// Does one damage to a file.
    ///
    /// - Parameters:
    ///   - damage: what is done. For ``Damage/olderPage`` use
    ///     ``restoreOlderPage(in:from:)``, which needs the older file.
    ///   - file: the file, which nobody has open.
    /// - Returns: what was done, and where.
    /// - Throws: ``CorruptionError`` when the file has no place for it, and errors of the file
    ///   system.
    @discardableResult
    public mutating func inject(_ damage: Damage, into file: URL) throws -> Injury {
        switch damage {
        case .oneBit: try flipBit(in: file)
        case .zeroedSector: try zeroSector(in: file)
        case .truncation: try truncate(file)
        case .otherPage: try overwritePageByAnother(in: file)
        default: throw CorruptionError(code: .needsOlderFile, damage: damage)
        }
    }

    /// Turns one bit round.
    ///
    /// - Parameters:
    ///   - file: the file, which nobody has open.
    ///   - range: where the bit is; `nil` is anywhere.
    /// - Throws: ``CorruptionError`` when the file or the range is empty, and errors of the file
    ///   system.
    @discardableResult
    public mutating func flipBit(in file: URL, range: Range<UInt64>? = nil) throws -> Injury {
        try change(file) { handle, size, random in
            let range = (range ?? 0..<size).clamped(to: 0..<size)
            guard let offset = range.randomElement(using: &random) else { return nil }
            let byte = try Self.read(1, at: offset, of: handle)[0]
            let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            try Self.write(Data([byte ^ bit]), at: offset, of: handle)
            return Injury(damage: .oneBit, offset: offset, count: 1)
        } ?? { throw CorruptionError(code: .noPlace, damage: .oneBit) }()
    }

    /// Fills 512 bytes, a sector of old disks, with zeros.
    ///
    /// - Throws: ``CorruptionError`` when all sectors are zero already, and errors of the file
    ///   system.
    @discardableResult
    public mutating func zeroSector(in file: URL) throws -> Injury {
        try change(file) { handle, size, random in
            let sectors = (size + 511) / 512
            for _ in 0..<1_000 where sectors > 0 {
                let offset = 512 * UInt64.random(in: 0..<sectors, using: &random)
                let count = min(512, size - offset)
                let before = try Self.read(Int(count), at: offset, of: handle)
                guard before.contains(where: { $0 != 0 }) else { continue }
                try Self.write(Data(count: Int(count)), at: offset, of: handle)
                return Injury(damage: .zeroedSector, offset: offset, count: count)
            }
            return nil
        } ?? { throw CorruptionError(code: .noPlace, damage: .zeroedSector) }()
    }

    /// Cuts the file, at any length below the one it has.
    ///
    /// - Throws: ``CorruptionError`` when the file is empty, and errors of the file system.
    @discardableResult
    public mutating func truncate(_ file: URL) throws -> Injury {
        try change(file) { handle, size, random in
            guard size > 0 else { return nil }
            let length = UInt64.random(in: 0..<size, using: &random)
            try handle.truncate(atOffset: length)
            return Injury(damage: .truncation, offset: length, count: size - length)
        } ?? { throw CorruptionError(code: .noPlace, damage: .truncation) }()
    }

    /// Writes the content of one page over another one.
    ///
    /// - Throws: ``CorruptionError`` when there are no two pages that differ, and errors of the
    ///   file system.
    @discardableResult
    public mutating func overwritePageByAnother(in file: URL) throws -> Injury {
        let pageSize = UInt64(pageSize)
        return try change(file) { handle, size, random in
            let pages = size / pageSize
            for _ in 0..<1_000 where pages > 1 {
                let source = pageSize * UInt64.random(in: 0..<pages, using: &random)
                let target = pageSize * UInt64.random(in: 0..<pages, using: &random)
                let content = try Self.read(Int(pageSize), at: source, of: handle)
                guard try content != Self.read(Int(pageSize), at: target, of: handle)
                else { continue }
                try Self.write(content, at: target, of: handle)
                return Injury(damage: .otherPage, offset: target, count: pageSize)
            }
            return nil
        } ?? { throw CorruptionError(code: .noPlace, damage: .otherPage) }()
    }

    /// Puts one page back to what it was in an older copy of the file.
    ///
    /// - Throws: ``CorruptionError`` when no page differs, and errors of the file system.
    @discardableResult
    public mutating func restoreOlderPage(in file: URL, from older: URL) throws -> Injury {
        let pageSize = UInt64(pageSize)
        let old = try FileHandle(forReadingFrom: older)
        defer { try? old.close() }
        return try change(file) { handle, size, random in
            let pages = min(size, try old.seekToEnd()) / pageSize
            var differing: [UInt64] = []
            for page in 0..<pages {
                let now = try Self.read(Int(pageSize), at: page * pageSize, of: handle)
                let then = try Self.read(Int(pageSize), at: page * pageSize, of: old)
                if now != then { differing.append(page * pageSize) }
            }
            guard let offset = differing.randomElement(using: &random) else { return nil }
            let content = try Self.read(Int(pageSize), at: offset, of: old)
            try Self.write(content, at: offset, of: handle)
            return Injury(damage: .olderPage, offset: offset, count: pageSize)
        } ?? { throw CorruptionError(code: .noPlace, damage: .olderPage) }()
    }

    // MARK: Files

    private mutating func change(
        _ file: URL,
        _ body: (FileHandle, UInt64, inout SeededRandomNumberGenerator) throws -> Injury?
    ) throws -> Injury? {
        let handle = try FileHandle(forUpdating: file)
        defer { try? handle.close() }
        return try body(handle, try handle.seekToEnd(), &random)
    }

    private static func read(_ count: Int, at offset: UInt64, of file: FileHandle) throws -> Data {
        try file.seek(toOffset: offset)
        let data = try file.read(upToCount: count) ?? Data()
        guard data.count == count else {
            throw CorruptionError(code: .fileChanged, damage: nil)
        }
        return data
    }

    private static func write(_ data: Data, at offset: UInt64, of file: FileHandle) throws {
        try file.seek(toOffset: offset)
        try file.write(contentsOf: data)
    }
}
