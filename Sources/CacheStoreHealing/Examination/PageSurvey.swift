// SPDX-License-Identifier: MIT

import CCacheStoreShims
import Foundation

/// The checksums of all pages of a file, read without SQLite: also of those that nothing uses.
struct PageSurvey: Sendable, Hashable {
    var pageCount = 0
    /// The numbers of the first pages whose checksum does not fit.
    var failed: [Int] = []
    var failedCount = 0
    /// Pages whose checksum fits, but that are of an older version of the file.
    var stale: [Int] = []
    /// Pages of zeros: set aside when the file grew, and never written.
    var blankCount = 0

    private static let maximumListed = 20

    /// Compares the checksum of every page, and its sum where that is known. O(file).
    init(_ file: RawFile, size: Int64, pageSize: Int) throws {
        let sums = try PageSums(of: file.path, header: file.read(count: 100))
        var staleCount = 0
        var offset: Int64 = 0
        let pagesAtOnce = max(1, (1 << 20) / pageSize)
        while offset < size {
            let bytes = try file.read(count: pagesAtOnce * pageSize, at: offset)
            if bytes.isEmpty { break }
            var start = 0
            while start + pageSize <= bytes.count {
                pageCount += 1
                let page = bytes[start..<start + pageSize]
                // The page with the bytes that locks are on is never written.
                let isLockPage = (Int64(pageCount) - 1) == 0x4000_0000 / Int64(pageSize)
                if isLockPage {
                    start += pageSize
                    continue
                }
                if !Self.fits(page, number: pageCount) {
                    if page.allSatisfy({ $0 == 0 }) {
                        blankCount += 1
                    } else {
                        failedCount += 1
                        if failed.count < Self.maximumListed { failed.append(pageCount) }
                    }
                } else if let sums, sums.isStale(checksum: Self.stamp(of: page), number: pageCount)
                {
                    staleCount += 1
                    if stale.count < Self.maximumListed { stale.append(pageCount) }
                }
                start += pageSize
            }
            offset += Int64(bytes.count)
        }
        guard staleCount > 0 else { return }
        // A page that somebody writes meanwhile has lost its sum before.
        if try sums == PageSums(of: file.path, header: file.read(count: 100)) {
            failedCount += staleCount
        } else {
            stale = []
        }
    }

    /// Whether a page has the checksum of its content and its number, as stores write it.
    static func fits(_ page: ArraySlice<UInt8>, number: Int) -> Bool {
        page.withUnsafeBytes { bytes in
            let count = bytes.count - 8
            let expected = cachestore_page_checksum(
                bytes.baseAddress, count, UInt32(truncatingIfNeeded: number))
            return stamp(of: page) == expected
        }
    }

    private static func stamp(of page: ArraySlice<UInt8>) -> UInt64 {
        page.withUnsafeBytes { bytes in
            let stored = bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
            return UInt64(littleEndian: stored)
        }
    }

    /// Whether a file, whatever its first page says, has pages with our checksums. Looks at a few.
    static func hasOurChecksums(_ file: RawFile, size: Int64) -> Bool {
        let pageSize = StoreFormat.pageSize
        let count = Int(size / Int64(pageSize))
        guard count > 0 else { return false }
        let step = max(1, count / 64)
        for number in stride(from: count == 1 ? 1 : 2, through: count, by: step) {
            let offset = Int64(number - 1) * Int64(pageSize)
            guard let page = try? file.read(count: pageSize, at: offset), page.count == pageSize
            else { return false }
            if fits(page[...], number: number) { return true }
        }
        return false
    }
}
