// SPDX-License-Identifier: MIT

/// A database file with its journal and its log, read page by page without SQLite and without trust in anything.
///
/// Nobody writes the files meanwhile, and no connection of this process has them open: see
/// ``RawFile``.
final class DatabaseImage {
    let geometry: PageGeometry
    /// How many pages the database has, as far as it can be told.
    let pageCount: Int
    /// The head of the first page, where that can be read.
    let header: DatabaseHeader?
    let log: LogImage?
    /// Whether pages may have other versions that cannot be read: nothing in the database is proven.
    private let mayBeOutdated: Bool
    private let file: CommittedFile
    /// Which versions of the pages are the newest, as far as that is known.
    private let sums: PageSums?

    /// - Returns: `nil` where nothing looks like pages of a database.
    /// - Throws: ``FileSystemError`` where the file cannot be opened or read.
    init?(reading path: String, readsLog: Bool) throws(FileSystemError) {
        file = try CommittedFile(reading: path)
        let found = PageGeometry.find(in: file)
        var log =
            readsLog ? LogImage(reading: path + "-wal", pageSize: found?.pageSize) : nil
        if let found, let logSize = log?.pageSize, logSize != found.pageSize,
            found.checksums != .none
        {
            // Of another database.
            log = nil
        }
        var geometry: PageGeometry
        if let found {
            geometry = found
        } else {
            guard let log else {
                // Where the disk gives nothing, nothing is known of the file.
                _ = try file.read(count: 1)
                return nil
            }
            geometry = PageGeometry(pageSize: log.pageSize, reservedBytes: 0, checksums: .none)
        }
        if let log {
            geometry.pageSize = log.pageSize
            if let header = log.page(1).flatMap({ DatabaseHeader($0.bytes) }),
                geometry.checksums == .none
            {
                geometry.reservedBytes = header.reservedBytes
            }
        }
        self.geometry = geometry
        self.log = log
        let isLogHidden = log.map(\.isIncomplete) ?? (readsLog && RawFile.isWithheld(path + "-wal"))
        // The same for a journal: what it would put back, the file does not have.
        mayBeOutdated = isLogHidden || RawFile.isWithheld(path + "-journal")

        // What a journal puts back is older than what was written last, and right.
        sums =
            geometry.checksums == .sealed && file.journal == nil
            ? (try? file.read(count: 100)).flatMap { PageSums(of: path, header: $0) } : nil
        let first = Self.page(1, in: file, log, geometry, mayBeOutdated: mayBeOutdated)
        header = first.flatMap { DatabaseHeader($0.bytes) }
        let filePages = (Int(file.size) + geometry.pageSize - 1) / geometry.pageSize
        if let log {
            pageCount = min(log.pageCount, max(filePages, log.highestPage))
        } else if file.journal != nil {
            pageCount = filePages
        } else if let count = header?.pageCount, first?.isProven == true || count <= filePages {
            pageCount = count
        } else {
            pageCount = filePages
        }
    }

    /// The newest version of a page; `nil` where it is damaged, older or not there. A place of the
    /// disk that cannot be read is damaged, too.
    func page(_ number: Int) -> StoredPage? {
        guard number >= 1, number <= pageCount else { return nil }
        return Self.page(
            number, in: file, log, geometry, sums, mayBeOutdated: mayBeOutdated)
    }

    /// What a damaged or older page has, right or wrong; `nil` where that is not to be had, or where the page
    /// has a newer version in the log.
    func remains(of number: Int) -> StoredPage? {
        guard number >= 1, number <= pageCount, log?.contains(number) != true,
            let bytes = Self.bytes(of: number, in: file, geometry)
        else { return nil }
        return StoredPage(number: number, bytes: bytes, isProven: false)
    }

    private static func bytes(
        of number: Int, in file: CommittedFile, _ geometry: PageGeometry
    ) -> [UInt8]? {
        let offset = Int64(number - 1) * Int64(geometry.pageSize)
        guard let bytes = try? file.read(count: geometry.pageSize, at: offset),
            bytes.count == geometry.pageSize
        else { return nil }
        return bytes
    }

    private static func page(
        _ number: Int, in file: CommittedFile, _ log: LogImage?, _ geometry: PageGeometry,
        _ sums: PageSums? = nil, mayBeOutdated: Bool
    ) -> StoredPage? {
        if let log, log.contains(number) { return log.page(number) }
        guard let bytes = bytes(of: number, in: file, geometry) else { return nil }
        guard geometry.checksums != .none else {
            return StoredPage(number: number, bytes: bytes, isProven: false)
        }
        let isProven = !mayBeOutdated && PageGeometry.checksumFits(bytes, number: number)
        if geometry.checksums == .sealed, !isProven, !mayBeOutdated,
            !PageGeometry.isWithoutChecksum(bytes, number: number)
        {
            return nil
        }
        if isProven, let sums, let stamp = PageGeometry.stamp(of: bytes),
            sums.isStale(checksum: stamp, number: number)
        {
            return nil
        }
        return StoredPage(number: number, bytes: bytes, isProven: isProven)
    }
}
