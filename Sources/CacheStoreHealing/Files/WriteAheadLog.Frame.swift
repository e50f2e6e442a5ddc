// SPDX-License-Identifier: MIT

extension WriteAheadLog {
    /// A page in a log, with what can be told of it.
    struct Frame: Sendable, Hashable {
        static let headerSize = 24

        /// The number of the page; 0 in what is no frame any more.
        let page: Int
        /// Where the content of the page is.
        let offset: Int64
        /// How many pages the database has after the transaction that the frame is the last one of.
        let databaseSize: Int?
        /// Whether SQLite reads it: it fits, as all before it do.
        let isReplayed: Bool
        /// Whether it belongs to what was written since the log began anew: it has the salts of that
        /// run, or its checksum goes on from a frame of it. The remains of earlier runs have neither.
        let isOfThisRun: Bool
        /// Whether page and content are as they were written: the checksum goes on from the one that
        /// the frame before has, or had before that one itself was damaged.
        fileprivate(set) var isWhole: Bool
        /// Whether it may be what is left of a transaction that was given up, and whose beginning the
        /// next one has overwritten.
        fileprivate(set) var mayBeRemnant: Bool
        fileprivate var isContinued = false

        /// Whether it is the end of a transaction that was acknowledged.
        ///
        /// SQLite replays what it can read. Behind a gap, an end that is whole was written as the last
        /// frame of all, so there was nothing left to do but to tell of the success. Two things look
        /// alike there, and are not counted, unless the log went on from them: a last transaction
        /// whose first frame is damaged; and what is left of a process that was killed after it had
        /// written, and before it told the others, who then wrote in the same place.
        var isCommit: Bool {
            guard databaseSize != nil, isOfThisRun else { return false }
            return isReplayed || isContinued || (isWhole && !mayBeRemnant)
        }
    }

    /// How far a log was understood.
    struct Chain {
        private let salts: ArraySlice<UInt8>
        private let isBigEndian: Bool
        /// The sums from which the next frame may go on: the one that is written down, and the one
        /// that should be, where it is another. None behind what is not of this run.
        private var sums: (stored: LogChecksum?, computed: LogChecksum?)
        /// Whether SQLite reads the next frame if that fits.
        private var isReplayed: Bool
        /// What the last frame is if it is whole.
        private var mayBeRemnant = false

        init(
            salts: ArraySlice<UInt8>, _ sums: (stored: LogChecksum, computed: LogChecksum),
            _ isHeadWhole: Bool, _ isBigEndian: Bool
        ) {
            self.salts = salts
            self.sums = (sums.stored, isHeadWhole ? nil : sums.computed)
            self.isBigEndian = isBigEndian
            isReplayed = isHeadWhole
        }

        /// Takes the next frame, and completes the one before.
        mutating func add(
            _ bytes: [UInt8], _ range: Range<Int>, at offset: Int64, behind before: inout Frame?
        ) -> Frame {
            let start = range.lowerBound
            let page = Int(bytes.number32(at: start) ?? 0)
            var databaseSize = Int(bytes.number32(at: start + 4) ?? 0)
            let stored = LogChecksum(storedIn: bytes, at: start + 16)
            let computed = sums.stored.map { sum(bytes, range, after: $0) }
            let fitsStored = computed == stored
            let fitsComputed =
                !fitsStored && sums.computed.map { sum(bytes, range, after: $0) } == stored
            let isWhole = fitsStored || fitsComputed
            if !isWhole, databaseSize > 0,
                sums.stored.map({ sum(bytes, range, after: $0, isEnd: false) }) == stored
            {
                // It is damaged in nothing but that it was no end.
                databaseSize = 0
            }
            let hasSalts = bytes[start + 8..<start + 16].elementsEqual(salts)
            isReplayed = isReplayed && fitsStored && hasSalts && page > 0

            if isWhole { before?.isContinued = true }
            if fitsComputed {
                // The frame before is damaged in nothing but its own checksum.
                before?.isWhole = true
                before?.mayBeRemnant = mayBeRemnant
            }
            let isBehindEnd = before?.databaseSize != nil
            mayBeRemnant = before?.mayBeRemnant == true && !isBehindEnd
            let frame = Frame(
                page: page, offset: offset + Int64(Frame.headerSize),
                databaseSize: databaseSize > 0 ? databaseSize : nil, isReplayed: isReplayed,
                isOfThisRun: isWhole || hasSalts, isWhole: isWhole,
                mayBeRemnant: isWhole ? mayBeRemnant : hasSalts && isBehindEnd)
            sums = frame.isOfThisRun ? (stored, isWhole ? nil : computed) : (nil, nil)
            return frame
        }

        /// - Parameter isEnd: `false` for what the sum were if the frame ended no transaction.
        private func sum(
            _ bytes: [UInt8], _ range: Range<Int>, after sum: LogChecksum, isEnd: Bool = true
        ) -> LogChecksum {
            let start = range.lowerBound
            var sum = sum
            // Without the salts and the checksum.
            if isEnd {
                sum.add(bytes, start..<start + 8, isBigEndian: isBigEndian)
            } else {
                let head = bytes[start..<start + 4] + [0, 0, 0, 0]
                sum.add(Array(head), 0..<8, isBigEndian: isBigEndian)
            }
            sum.add(bytes, start + Frame.headerSize..<range.upperBound, isBigEndian: isBigEndian)
            return sum
        }
    }
}
