// SPDX-License-Identifier: MIT

/// The newest versions of pages that a write-ahead log has
/// (https://sqlite.org/fileformat2.html#the_write_ahead_log).
///
/// Those behind the first frame that does not fit, which SQLite does not look at, are not taken for
/// proven. A page whose newest version is damaged counts as damaged: the one before is not what was
/// saved.
struct LogImage {
    private struct Version {
        /// Where the content is; `nil` where it is damaged.
        var offset: Int64?
        var isProven: Bool
    }

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
        guard let file = try? RawFile(reading: path),
            let log = try? WriteAheadLog(file, pageSize: assumed)
        else { return nil }
        self.file = file
        pageSize = log.pageSize
        var pending: [Int: Version] = [:]
        var pendingHides = false
        var image = (versions: versions, pageCount: 0, isIncomplete: false)
        // What is behind a frame that cannot be read is not looked at, so it is read frame by frame.
        let isReadToTheEnd: Void? = try? log.forEachFrame(pieceSize: 0) { frame in
            if frame.isOfThisRun, frame.page > 0, frame.page <= Int(Int32.max) {
                pending[frame.page] = Version(
                    offset: frame.isWhole ? frame.offset : nil, isProven: frame.isReplayed)
            } else {
                pendingHides = true
            }
            // Also of what nobody may have been told of: here the newest counts.
            guard let count = frame.databaseSize, frame.isCommit || frame.isWhole else { return }
            image.versions.merge(pending) { $1 }
            image.pageCount = frame.isWhole ? count : max(image.pageCount, count)
            image.isIncomplete = image.isIncomplete || pendingHides
            pending = [:]
            pendingHides = false
        }
        if isReadToTheEnd == nil { image.isIncomplete = true }
        (versions, pageCount, isIncomplete) = image
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
