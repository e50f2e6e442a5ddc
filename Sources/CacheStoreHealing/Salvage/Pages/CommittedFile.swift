// SPDX-License-Identifier: MIT

/// A database file as it was before the transaction that a process left in the middle, if there is a
/// rollback journal of one. Only read: rolling back is SQLite's.
struct CommittedFile {
    let journal: JournalImage?
    /// What the file itself has, or would have when rolled back.
    let size: Int64
    private let file: RawFile

    init(reading path: String) throws(FileSystemError) {
        file = try RawFile(reading: path)
        journal = JournalImage(reading: path + "-journal")
        let size = FileTree.size(at: path) ?? 0
        // A number without a checksum: believed as far as there are pages.
        self.size =
            journal.map { journal in
                let pageSize = Int64(journal.pageSize)
                let pages = (size + pageSize - 1) / pageSize
                let count = min(Int64(journal.pageCount), max(pages, Int64(journal.highestPage)))
                return count * pageSize
            } ?? size
    }

    /// The sizes that pages may have, the likely ones first.
    var pageSizes: [Int] { journal.map { [$0.pageSize] } ?? PageGeometry.sizes }

    /// Reads up to a number of bytes, of one page.
    func read(count: Int, at offset: Int64 = 0) throws(FileSystemError) -> [UInt8] {
        guard let journal else { return try file.read(count: count, at: offset) }
        let number = Int(offset / Int64(journal.pageSize)) + 1
        let start = Int(offset % Int64(journal.pageSize))
        guard offset < size else { return [] }
        guard journal.contains(number) else { return try file.read(count: count, at: offset) }
        // What cannot be read there is missing here: the file has something else.
        guard let bytes = journal.bytes(of: number) else { return [] }
        return Array(bytes[start..<min(start + count, bytes.count)])
    }
}
