// SPDX-License-Identifier: MIT

import Foundation

/// The directory where the files of a store are kept that could not be used.
///
/// Each set is a directory `<name>-<time>-<n>` with the database, its side files, the external
/// values and `report.json`. Only under a lock that keeps all writers out.
struct Quarantine {
    struct Result: Sendable, Hashable {
        /// The directory of the set; `nil` where none was kept.
        var place: String?
        /// Why none was kept.
        var note: String?
    }

    let paths: StorePaths
    let policy: QuarantinePolicy
    /// Whether others have the store open: its index of the log, which they use, is then left alone.
    var isShared = false
    /// Asked when it is needed: most openings keep nothing.
    var clock: @Sendable () -> SystemMoment = { SystemMoment() }
    var freeSpace: @Sendable (String) -> FreeSpace? = { FreeSpace(at: $0) }

    var now: SystemMoment { clock() }

    /// Copies the set, where the policy wants it. It never fails: a copy that cannot be made is given
    /// up, and said so.
    func keepCopy(reason: String, report: StoreOpenReport) -> Result {
        guard policy.maximumSets > 0 else { return Result(note: "not wanted") }
        if let recent = recentSet { return Result(note: "\(recent) is recent enough") }
        var place: String?
        do {
            let files = try files
            let size = size(of: files)
            guard size <= policy.maximumBytes else {
                return Result(note: "\(size) bytes are too many")
            }
            guard hasRoom(for: size) else { return Result(note: "the disk is short of space") }
            let new = try makeSet()
            place = new
            try copy(files, to: new)
            try writeReport(reason: reason, report: report, isPermanent: false, to: new)
            removeOldSets(besides: new)
            return Result(place: new)
        } catch {
            if let place { try? FileTree.removeDirectory(place) }
            return Result(note: "given up: \(error)")
        }
    }

    /// Moves the set here, always: its files are not this store's to delete.
    ///
    /// Every file is in one place or in both at each moment, also when the process is killed.
    /// - Throws: ``FileSystemError``; then the files are where they were.
    func setAside(reason: String, report: StoreOpenReport) throws -> String {
        // Once: what is deleted in the end must be what was kept before.
        let files = try files
        let place = try makeSet()
        do {
            for file in files { try linkOrCopy(file, to: place) }
            try writeReport(reason: reason, report: report, isPermanent: true, to: place)
            FileTree.synchronizeDirectory(place)
            FileTree.synchronizeDirectory(paths.quarantine)
        } catch {
            try? FileTree.removeDirectory(place)
            throw error
        }
        // The database first: without it a log is not replayed over anything.
        for file in files { try FileTree.remove(file) }
        FileTree.synchronizeDirectory(paths.directory)
        return place
    }

    /// Moves a set back to where it was, over what is there.
    ///
    /// Nothing needs space for it. When the process is killed in the middle, the database is still
    /// in the set, and what is at the store's place is no store that could be taken for it.
    /// - Throws: ``FileSystemError``; then the rest is still in the set.
    func putBack(_ place: String) throws {
        // The database last: beside it, a log of another would be replayed over it, and without it
        // a log is nothing.
        try FileTree.remove(paths.main)
        try StoreReset.removeSideFiles(of: paths)
        for file in [paths.journal, paths.log, paths.sharedMemory, paths.sums, paths.main] {
            let kept = Self.target(of: file, in: place)
            if try FileTree.sizeIfThere(at: kept) != nil {
                try FileTree.rename(kept, to: file)
            }
        }
        let blobs = Self.target(of: paths.blobs, in: place)
        for name in FileTree.names(in: blobs) {
            try FileTree.makeDirectory(paths.blobs)
            try FileTree.rename("\(blobs)/\(name)", to: "\(paths.blobs)/\(name)")
        }
        FileTree.synchronizeDirectory(paths.directory)
        try FileTree.removeDirectory(place)
    }

    // MARK: The set

    /// The files that there are, the database first.
    private var files: [String] {
        get throws {
            let all = [paths.main, paths.journal, paths.log, paths.sums]
            return try (all + (isShared ? [] : [paths.sharedMemory]))
                .filter { try FileTree.sizeIfThere(at: $0) != nil }
        }
    }

    private func size(of files: [String]) -> Int64 {
        var size = files.reduce(0) { $0 + (FileTree.size(at: $1) ?? 0) }
        if let names = FileManager.default.enumerator(atPath: paths.blobs) {
            for case let name as String in names {
                size += FileTree.size(at: paths.blobs + "/" + name) ?? 0
            }
        }
        return size
    }

    private func copy(_ files: [String], to place: String) throws {
        for file in files { try FileTree.copy(file, to: Self.target(of: file, in: place)) }
        if FileTree.status(at: paths.blobs)?.isDirectory == true {
            try FileManager.default.copyItem(
                atPath: paths.blobs, toPath: Self.target(of: paths.blobs, in: place))
        }
        FileTree.synchronizeDirectory(place)
    }

    private func linkOrCopy(_ file: String, to place: String) throws {
        let target = Self.target(of: file, in: place)
        // A link costs no space and works while another program writes the file.
        if link(file, target) == 0 { return }
        try FileTree.copy(file, to: target)
    }

    private static func target(of file: String, in place: String) -> String {
        place + "/" + (file.split(separator: "/").last.map(String.init) ?? "file")
    }

    private func makeSet() throws -> String {
        try FileTree.makeDirectory(paths.quarantine)
        let stem = "\(paths.quarantine)/\(paths.name)-\(Self.stamp(of: now.date))"
        for number in 1...999 {
            let place = "\(stem)-\(number)"
            if mkdir(place, 0o700) == 0 { return place }
            guard errno == EEXIST else { throw FileSystemError("create", place) }
        }
        throw FileSystemError("create", stem, number: EEXIST)
    }

    /// The time as `20261130T193400Z`, without asking Foundation for a calendar, which is slow.
    private static func stamp(of date: Date) -> String {
        var seconds = time_t(date.timeIntervalSince1970)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(parts.tm_year + 1900)" + digits(parts.tm_mon + 1) + digits(parts.tm_mday) + "T"
            + digits(parts.tm_hour) + digits(parts.tm_min) + digits(parts.tm_sec) + "Z"
    }
}
