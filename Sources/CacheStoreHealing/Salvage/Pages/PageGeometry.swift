// SPDX-License-Identifier: MIT

import CCacheStoreShims

/// How a database file is divided, and what its pages say about themselves.
struct PageGeometry: Sendable, Hashable {
    enum Checksums: Sendable, Hashable {
        case none
        /// A page whose checksum does not fit is damaged.
        case sealed
        /// Or it was written by another program (Documentation/Decisions/0004-page-checksums.md).
        case unsealed
    }

    static let sizes = [4096, 1024, 2048, 8192, 16_384, 32_768, 65_536, 512]

    var pageSize: Int
    var reservedBytes: Int
    var checksums: Checksums

    /// The bytes of a page that SQLite uses.
    var usableSize: Int { pageSize - reservedBytes }

    /// The page that SQLite never uses, for its locks are at this place
    /// (https://sqlite.org/fileformat2.html#the_lock_byte_page).
    var lockPage: Int { (1 << 30) / pageSize + 1 }

    static func checksumFits(_ page: [UInt8], number: Int) -> Bool {
        guard let stamp = stamp(of: page) else { return false }
        return page.withUnsafeBytes { bytes in
            cachestore_page_checksum(
                bytes.baseAddress, bytes.count - StoreFormat.reservedBytes,
                UInt32(truncatingIfNeeded: number)) == stamp
        }
    }

    /// Whether a page has been in our log, and came from there by another program: it has a mark in
    /// the place of its checksum.
    static func isWithoutChecksum(_ page: [UInt8], number: Int) -> Bool {
        stamp(of: page) == cachestore_page_without_checksum(UInt32(truncatingIfNeeded: number))
    }

    static func stamp(of page: [UInt8]) -> UInt64? {
        guard page.count >= 512, page.count % 8 == 0 else { return nil }
        return page.suffix(StoreFormat.reservedBytes).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension PageGeometry {
    /// Finds out how a file is divided, also where its first page is gone: by the checksums of other
    /// pages, or by which size of page makes trees of them.
    ///
    /// - Returns: `nil` where nothing in the file looks like pages of a database.
    static func find(in file: CommittedFile) -> PageGeometry? {
        let header = (try? file.read(count: 100)).flatMap { DatabaseHeader($0) }
        if let header, header.reservedBytes == StoreFormat.reservedBytes || header.isSealed,
            let first = try? file.read(count: header.pageSize), checksumFits(first, number: 1)
        {
            return PageGeometry(
                pageSize: header.pageSize, reservedBytes: StoreFormat.reservedBytes,
                checksums: header.isSealed ? .sealed : .unsealed)
        }
        // Two that fit by chance are out of the question.
        for pageSize in file.pageSizes where sample(file, pageSize, checksumFits) >= 2 {
            let isUnsealed = header.map { $0.pageSize == pageSize && !$0.isSealed } ?? false
            return PageGeometry(
                pageSize: pageSize, reservedBytes: StoreFormat.reservedBytes,
                checksums: isUnsealed ? .unsealed : .sealed)
        }
        if let header, header.pageSize - header.reservedBytes >= 480 {
            // Sealed, and nothing fits: there is nothing that could be proven.
            return PageGeometry(
                pageSize: header.pageSize, reservedBytes: header.reservedBytes,
                checksums: header.isSealed ? .sealed : .none)
        }
        let plausible = file.pageSizes.map { pageSize in
            let geometry = PageGeometry(pageSize: pageSize, reservedBytes: 0, checksums: .none)
            return (
                geometry,
                sample(file, pageSize) { bytes, number in
                    let page = StoredPage(number: number, bytes: bytes, isProven: false)
                    return TreePage(page, usableSize: pageSize)?.isTidy == true
                }
            )
        }
        guard let best = plausible.max(by: { $0.1 < $1.1 }), best.1 > 0 else { return nil }
        return best.0
    }

    /// Counts the pages of some all over the file that pass a test.
    private static func sample(
        _ file: CommittedFile, _ pageSize: Int, _ test: ([UInt8], Int) -> Bool
    ) -> Int {
        let count = Int(file.size) / pageSize
        guard count > 0 else { return 0 }
        let step = max(1, count / 64)
        return stride(from: 1, through: count, by: step).count { number in
            guard
                let bytes = try? file.read(
                    count: pageSize, at: Int64(number - 1) * Int64(pageSize)),
                bytes.count == pageSize
            else { return false }
            return test(bytes, number)
        }
    }
}
