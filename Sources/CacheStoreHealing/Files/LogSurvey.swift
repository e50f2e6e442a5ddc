// SPDX-License-Identifier: MIT

/// What a write-ahead log has, and what is lost with it.
///
/// SQLite ends a log at the first frame that does not fit, without a word. That is right for what a
/// crash has cut off, but commits behind a damaged frame go with it.
struct LogSurvey: Sendable, Hashable {
    /// Whether SQLite takes the log for one.
    private(set) var isHeadWhole: Bool
    /// Frames that SQLite reads.
    private(set) var validFrames = 0
    /// Those up to the last end of a transaction: what SQLite replays.
    private(set) var committedFrames = 0
    /// Commits that SQLite replays.
    private(set) var commits = 0
    /// Commits that it does not, though they were acknowledged; at least so many.
    private(set) var lostCommits = 0
    /// Whether there are frames of this run of the log behind the last one that SQLite reads.
    private var hasRemains = false

    /// Whether it ends with a transaction that was not finished, or is damaged: which one, nothing
    /// tells.
    var isUnfinished: Bool { committedFrames < validFrames || hasRemains }

    /// Reads a log to its end. O(log).
    ///
    /// - Parameter assumed: the size of a page where the head of the log is damaged.
    /// - Returns: `nil` where there is nothing that could be a log.
    /// - Throws: ``FileSystemError`` where it cannot be read.
    init?(path: String, pageSize assumed: Int? = nil) throws(FileSystemError) {
        guard let log = try WriteAheadLog(RawFile(reading: path), pageSize: assumed) else {
            return nil
        }
        var survey = LogSurvey(isHeadWhole: log.isHeadWhole)
        try log.forEachFrame { survey.add($0) }
        self = survey
    }

    private init(isHeadWhole: Bool) { self.isHeadWhole = isHeadWhole }

    private mutating func add(_ frame: WriteAheadLog.Frame) {
        if frame.isReplayed {
            validFrames += 1
            guard frame.isCommit else { return }
            committedFrames = validFrames
            commits += 1
        } else {
            if frame.isOfThisRun { hasRemains = true }
            if frame.isCommit { lostCommits += 1 }
        }
    }
}
