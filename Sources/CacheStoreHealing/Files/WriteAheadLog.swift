// SPDX-License-Identifier: MIT

/// A write-ahead log, read without SQLite and without trust in anything
/// (https://sqlite.org/fileformat2.html#the_write_ahead_log).
///
/// A log is written from its head on. When all of it is in the database, it begins anew: with a new
/// head, whose salts are others, over the frames of the run before. SQLite takes a log to end at the
/// first frame that does not fit, and to be empty where its head does not. Here what is behind is
/// looked at as well; see ``Frame`` for what can be told of it.
struct WriteAheadLog {
    private static let headerSize = 32
    private static let pageSizes = 512...65_536

    let pageSize: Int
    /// Whether the head is as it was written. Else SQLite takes the log for empty.
    let isHeadWhole: Bool
    private let file: RawFile
    private let isBigEndian: Bool
    private let salts: ArraySlice<UInt8>
    /// What the head says of its own checksum, and what it is.
    private let sums: (stored: LogChecksum, computed: LogChecksum)

    private var frameSize: Int { Frame.headerSize + pageSize }

    /// - Parameter assumed: the size of a page where the head is damaged.
    /// - Returns: `nil` where there is no head, or nothing says how large a page is.
    init?(_ file: RawFile, pageSize assumed: Int? = nil) throws(FileSystemError) {
        self.file = file
        let head = try file.read(count: Self.headerSize)
        guard head.count == Self.headerSize else { return nil }
        let magic = head.number32(at: 0) ?? 0
        let size = Int(head.number32(at: 8) ?? 0)
        let isSize = Self.pageSizes.contains(size) && size.nonzeroBitCount == 1
        let stored = LogChecksum(storedIn: head, at: 24)
        var computed = LogChecksum()
        computed.add(head, 0..<24, isBigEndian: magic & 1 == 1)
        if magic & ~1 == 0x377F_0682, isSize, computed == stored {
            isHeadWhole = true
            pageSize = size
            isBigEndian = magic & 1 == 1
            salts = head[16..<24]
        } else {
            isHeadWhole = false
            guard let known = assumed ?? (isSize ? size : nil) else { return nil }
            pageSize = known
            // SQLite writes in the processor's order.
            isBigEndian = 1.bigEndian == 1
            computed = LogChecksum()
            computed.add(head, 0..<24, isBigEndian: isBigEndian)
            salts = try Self.saltsOfFrames(in: file, pageSize: known)
        }
        sums = (stored, computed)
    }

    /// The salts of the first frame that has some: where the head is gone, a sector may be.
    private static func saltsOfFrames(
        in file: RawFile, pageSize: Int
    ) throws(FileSystemError) -> ArraySlice<UInt8> {
        var offset = Int64(headerSize)
        for _ in 0..<8 {
            let salts = try file.read(count: Frame.headerSize, at: offset).dropFirst(8).prefix(8)
            if salts.contains(where: { $0 != 0 }) { return salts }
            offset += Int64(Frame.headerSize + pageSize)
        }
        return []
    }

    /// Tells of one frame after the other, in order. O(log); reads in pieces.
    ///
    /// - Parameter pieceSize: how many bytes are read at once, or one frame.
    /// - Throws: ``FileSystemError`` where a piece cannot be read, after the frames before it.
    func forEachFrame(pieceSize: Int = 1 << 20, _ body: (Frame) -> Void) throws(FileSystemError) {
        let size = max(1, pieceSize / frameSize) * frameSize
        var offset = Int64(Self.headerSize)
        var before: Frame?
        var chain = Chain(salts: salts, sums, isHeadWhole, isBigEndian)
        defer { if let before { body(before) } }
        while true {
            let bytes = try file.read(count: size, at: offset)
            for start in stride(from: 0, through: bytes.count - frameSize, by: frameSize) {
                let frame = chain.add(
                    bytes, start..<start + frameSize, at: offset + Int64(start), behind: &before)
                if let before { body(before) }
                before = frame
            }
            if bytes.count < size { return }
            offset += Int64(size)
        }
    }
}
