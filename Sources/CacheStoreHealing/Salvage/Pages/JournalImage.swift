// SPDX-License-Identifier: MIT

import Foundation

/// The pages that a rollback journal has: those of the database before the transaction in the middle of
/// which a process ended (https://sqlite.org/fileformat2.html#the_rollback_journal).
///
/// What SQLite would roll back is read, and not a page more: as far as its checksums fit, and as far as
/// the head of a segment says that its pages were synced. Only behind that point did SQLite begin to
/// write to the database (https://sqlite.org/atomiccommit.html).
struct JournalImage {
    private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    private static let headerSize = 28

    let pageSize: Int
    /// The size of the database before the transaction, in pages.
    let pageCount: Int
    private let file: RawFile
    /// Where the content of each page is.
    private var offsets: [Int: Int64] = [:]

    /// - Returns: `nil` where there is no journal that SQLite would roll back.
    init?(reading path: String) {
        guard let size = FileTree.size(at: path), size >= Int64(Self.headerSize),
            let file = try? RawFile(reading: path),
            let first = Segment(file, at: 0),
            PageGeometry.sizes.contains(first.pageSize),
            (32...65_536).contains(first.sectorSize), first.sectorSize.nonzeroBitCount == 1,
            !Self.wasCommitted(file, size)
        else { return nil }
        self.file = file
        pageSize = first.pageSize
        pageCount = first.databaseSize
        let sector = Int64(first.sectorSize)
        let recordSize = Int64(pageSize) + 8
        var segment = first
        var start: Int64 = 0
        while true {
            let records = start + sector
            var count = Int64(segment.count)
            // Without syncing nobody knows how many there are: all that are there.
            if segment.count == .max { count = max(0, (size - records) / recordSize) }
            for record in 0..<count {
                guard add(recordAt: records + record * recordSize, segment.nonce) else { return }
            }
            // Each segment begins with a sector of its own.
            let end = records + count * recordSize
            start = (end + sector - 1) / sector * sector
            guard start < size, let next = Segment(file, at: start) else { return }
            segment = next
        }
    }

    /// - Returns: whether there may be more records behind this one.
    private mutating func add(recordAt offset: Int64, _ nonce: UInt32) -> Bool {
        guard let record = try? file.read(count: pageSize + 8, at: offset),
            record.count == pageSize + 8, let page = record.number32(at: 0).map({ Int($0) }),
            page > 0, page != (1 << 30) / pageSize + 1,
            record.number32(at: pageSize + 4) == Self.sum(record, pageSize, nonce)
        else { return false }
        // The first version is that of before the transaction.
        if page <= pageCount, offsets[page] == nil { offsets[page] = offset + 4 }
        return true
    }

    /// Every 200th byte counts, from the end of the page.
    private static func sum(_ record: [UInt8], _ pageSize: Int, _ nonce: UInt32) -> UInt32 {
        stride(from: pageSize - 200, to: 0, by: -200).reduce(nonce) { sum, place in
            sum &+ UInt32(record[4 + place])
        }
    }

    var highestPage: Int { offsets.keys.max() ?? 0 }

    func contains(_ page: Int) -> Bool { offsets[page] != nil }

    /// The content of a page before the transaction; `nil` where it is not changed by it.
    func bytes(of page: Int) -> [UInt8]? {
        guard let offset = offsets[page], let bytes = try? file.read(count: pageSize, at: offset),
            bytes.count == pageSize
        else { return nil }
        return bytes
    }
}

extension JournalImage {
    /// The head of some records.
    private struct Segment {
        /// How many were synced; the highest number where it was not counted.
        let count: UInt32
        let nonce: UInt32
        let databaseSize: Int
        let sectorSize: Int
        let pageSize: Int

        init?(_ file: RawFile, at offset: Int64) {
            guard let head = try? file.read(count: JournalImage.headerSize, at: offset),
                head.starts(with: JournalImage.magic), let count = head.number32(at: 8),
                let nonce = head.number32(at: 12), let databaseSize = head.number32(at: 16),
                let sectorSize = head.number32(at: 20), let pageSize = head.number32(at: 24)
            else { return nil }
            self.count = count
            self.nonce = nonce
            self.databaseSize = Int(databaseSize)
            self.sectorSize = Int(sectorSize)
            self.pageSize = Int(pageSize)
        }
    }

    /// Whether the transaction was one of several databases, and all of them were to keep it: the
    /// file that the journal names at its end is gone then.
    private static func wasCommitted(_ file: RawFile, _ size: Int64) -> Bool {
        guard size >= 16, let end = try? file.read(count: 16, at: size - 16),
            end.suffix(8).elementsEqual(magic), let length = end.number32(at: 0),
            length > 0, length <= 4_096, Int64(length) + 16 <= size,
            let name = try? file.read(count: Int(length), at: size - 16 - Int64(length)),
            // As SQLite sums them up, bytes have a sign.
            name.reduce(UInt32(0), { $0 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) })
                == end.number32(at: 4)
        else { return false }
        return access(String(decoding: name, as: UTF8.self), F_OK) != 0
    }
}
