// SPDX-License-Identifier: MIT

/// The newest versions of pages that a write-ahead log has
/// (https://sqlite.org/fileformat2.html#the_write_ahead_log).
///
/// SQLite takes a log to end at the first frame whose checksum does not fit. Here frames behind it
/// are looked at as well: a frame's checksum continues the one that is *stored* in the frame before,
/// so that damage to the content of one frame leaves the others checkable. They are not taken for
/// proven, since they may be the remains of a transaction that was given up. A page whose newest
/// version is damaged counts as damaged: the one before is not what was saved.
struct LogImage {
    private struct Version {
        /// Where the content is; `nil` where it is damaged.
        var offset: Int64?
        var isProven: Bool
    }

    private static let headerSize = 32
    private static let frameHeaderSize = 24

    let pageSize: Int
    /// The size of the database after the last transaction, in pages.
    private(set) var pageCount = 0
    /// Whether damage to the log hides which page was changed.
    private(set) var isIncomplete = false
    private let file: RawFile
    private var versions: [Int: Version] = [:]

    var isEmpty: Bool { versions.isEmpty }
    var highestPage: Int { versions.keys.max() ?? 0 }
    /// Pages whose newest version is damaged.
    var damagedPages: [Int] { versions.filter { $0.value.offset == nil }.map(\.key) }

    /// - Parameter pageSize: what to assume where the log's own header is damaged.
    /// - Returns: `nil` where there is no log with a committed transaction.
    init?(reading path: String, pageSize assumed: Int?) {
        guard let size = FileTree.size(at: path), size > Self.headerSize,
            let file = try? RawFile(reading: path),
            let head = try? file.read(count: Self.headerSize + Self.frameHeaderSize)
        else { return nil }
        self.file = file
        guard var state = Reading(head, assumed: assumed) else { return nil }
        pageSize = state.pageSize
        let frameSize = Self.frameHeaderSize + pageSize
        var pending: [Int: Version] = [:]
        var pendingHides = false
        var offset = Int64(Self.headerSize)
        while offset + Int64(frameSize) <= size {
            guard let frame = try? file.read(count: frameSize, at: offset),
                frame.count == frameSize
            else { break }
            let finding = state.read(frame)
            if let page = finding.page {
                pending[page] = Version(
                    offset: finding.isValid ? offset + Int64(Self.frameHeaderSize) : nil,
                    isProven: !state.isBroken)
            } else {
                pendingHides = true
            }
            if finding.isValid, let count = finding.committedPages {
                versions.merge(pending) { $1 }
                pageCount = count
                isIncomplete = isIncomplete || pendingHides
                pending = [:]
                pendingHides = false
            }
            offset += Int64(frameSize)
        }
        if versions.isEmpty { return nil }
    }

    func contains(_ page: Int) -> Bool { versions[page] != nil }

    /// The newest version of a page that the log has; `nil` where it is damaged.
    func page(_ number: Int) -> StoredPage? {
        guard let version = versions[number], let offset = version.offset,
            let bytes = try? file.read(count: pageSize, at: offset), bytes.count == pageSize
        else { return nil }
        return StoredPage(number: number, bytes: bytes, isProven: version.isProven && !isIncomplete)
    }
}

extension LogImage {
    /// How far the log has been understood.
    private struct Reading {
        struct Finding {
            var page: Int?
            var isValid = false
            var committedPages: Int?
        }

        let pageSize: Int
        private let isBigEndian: Bool
        private let salts: [UInt8]
        /// What the next frame's checksum continues.
        private var sum: (UInt32, UInt32)
        /// Whether a frame did not fit.
        private(set) var isBroken = false

        init?(_ head: [UInt8], assumed: Int?) {
            guard head.count == LogImage.headerSize + LogImage.frameHeaderSize else { return nil }
            let magic = head.number32(at: 0) ?? 0
            let size = Int(head.number32(at: 8) ?? 0)
            let order = magic & 1 == 1
            if magic & ~1 == 0x377F_0682, PageGeometry.sizes.contains(size),
                let sum = Self.stored(head, at: 24),
                Self.sum(head[0..<24], from: (0, 0), isBigEndian: order) == sum
            {
                pageSize = size
                isBigEndian = order
                salts = Array(head[16..<24])
                self.sum = sum
            } else {
                // The first frame has the salts as well, and SQLite writes in the processor's order
                // (https://sqlite.org/fileformat2.html#wal_file_format).
                guard let assumed, let sum = Self.stored(head, at: 24) else { return nil }
                pageSize = assumed
                isBigEndian = 1.bigEndian == 1
                salts = Array(head[LogImage.headerSize + 8..<LogImage.headerSize + 16])
                self.sum = sum
                isBroken = true
            }
        }

        /// Takes the next frame. One with other salts is of an older log; so may be a damaged one.
        mutating func read(_ frame: [UInt8]) -> Finding {
            var finding = Finding()
            let next = Self.sum(
                frame[24...], from: Self.sum(frame[0..<8], from: sum, isBigEndian: isBigEndian),
                isBigEndian: isBigEndian)
            let isCurrent = frame[8..<16].elementsEqual(salts)
            let stored = Self.stored(frame, at: 16) ?? (0, 0)
            finding.isValid = isCurrent && next == stored
            sum = stored
            if !finding.isValid { isBroken = true }
            let page = Int(frame.number32(at: 0) ?? 0)
            if isCurrent, page > 0, page <= Int(Int32.max) { finding.page = page }
            if finding.page == nil { finding.isValid = false }
            let pages = Int(frame.number32(at: 4) ?? 0)
            if pages > 0 { finding.committedPages = pages }
            return finding
        }

        private static func stored(_ bytes: [UInt8], at offset: Int) -> (UInt32, UInt32)? {
            guard let first = bytes.number32(at: offset),
                let second = bytes.number32(at: offset + 4)
            else { return nil }
            return (first, second)
        }

        /// https://sqlite.org/fileformat2.html#checksum_algorithm
        private static func sum(
            _ bytes: ArraySlice<UInt8>, from start: (UInt32, UInt32), isBigEndian: Bool
        ) -> (UInt32, UInt32) {
            var (first, second) = start
            bytes.withUnsafeBytes { bytes in
                var offset = 0
                while offset + 8 <= bytes.count {
                    var one = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                    var two = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                    one = isBigEndian ? UInt32(bigEndian: one) : UInt32(littleEndian: one)
                    two = isBigEndian ? UInt32(bigEndian: two) : UInt32(littleEndian: two)
                    first = first &+ one &+ second
                    second = second &+ two &+ first
                    offset += 8
                }
            }
            return (first, second)
        }
    }
}
