// SPDX-License-Identifier: MIT

import Foundation

extension Quarantine {
    /// What `report.json` of a set says. No user data.
    struct SetReport: Codable {
        var reason: String
        /// Whether the set is kept whatever the policy says.
        var isPermanent: Bool
        var place: String
        var madeAt: Date
        /// The boot in which it was made, and the seconds since its beginning: unlike the clock, they
        /// do not jump.
        var boot: String?
        var uptime: Double?
        var modelFingerprint: String?
        var storeIdentifier: UUID?
        var error: String?
    }

    func writeReport(
        reason: String, report: StoreOpenReport, isPermanent: Bool, to place: String
    ) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        let data = try encoder.encode(
            SetReport(
                reason: reason, isPermanent: isPermanent, place: paths.main, madeAt: now.date,
                boot: now.boot, uptime: now.uptime,
                modelFingerprint: report.oldFingerprint,
                storeIdentifier: report.oldStoreIdentifier,
                error: report.underlyingError.map { String(describing: $0) }))
        let file = try RawFile(creating: place + "/report.json")
        try file.append(Array(data))
        try file.synchronize()
    }

    /// The sets of this store that may be deleted, the oldest first by their names. What has no
    /// report that can be read is not touched: it may be anybody's.
    private var removableSets: [(name: String, report: SetReport)] {
        let prefix = paths.name + "-"
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return FileTree.names(in: paths.quarantine).compactMap { name in
            guard name.hasPrefix(prefix),
                let data = FileManager.default.contents(
                    atPath: "\(paths.quarantine)/\(name)/report.json"),
                let report = try? decoder.decode(SetReport.self, from: data),
                !report.isPermanent, report.place == paths.main
            else { return nil }
            return (name, report)
        }
    }

    /// A set younger than the policy's interval.
    var recentSet: String? {
        removableSets.last { set in
            guard let age = age(of: set.report, name: set.name) else { return false }
            return age < policy.minimumInterval
        }?.name
    }

    /// How old a set is; `nil` where it seems to come from the future: then the clock was wrong
    /// once, and the set must not keep newer ones away until it is right again.
    private func age(of report: SetReport, name: String) -> Duration? {
        if let boot = report.boot, boot == now.boot, let then = report.uptime {
            return .seconds(max(0, now.uptime - then))
        }
        guard let status = FileTree.status(at: "\(paths.quarantine)/\(name)") else { return nil }
        #if canImport(Darwin)
            let seconds = status.st_mtimespec.tv_sec
        #else
            let seconds = status.st_mtim.tv_sec
        #endif
        let age = Int64(now.date.timeIntervalSince1970) - Int64(seconds)
        return age >= 0 ? .seconds(age) : nil
    }

    // MARK: Space

    /// Whether a set of a size fits and leaves enough; deletes older sets for it.
    func hasRoom(for size: Int64) -> Bool {
        guard let free = freeSpace(paths.directory) else { return true }
        if free.available - size >= free.reserve(of: policy) { return true }
        dropSets()
        return (freeSpace(paths.directory)?.available ?? 0) - size >= free.reserve(of: policy)
    }

    /// Deletes the sets that may be deleted where the disk is short of space. Whoever uses the store
    /// may do so.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    func dropSetsIfDiskIsShort() -> Bool {
        guard FileTree.status(at: paths.quarantine) != nil,
            let free = freeSpace(paths.directory), free.available < free.reserve(of: policy)
        else { return false }
        return dropSets()
    }

    @discardableResult
    private func dropSets() -> Bool {
        let sets = removableSets
        for set in sets { try? FileTree.removeDirectory("\(paths.quarantine)/\(set.name)") }
        return !sets.isEmpty
    }

    func removeOldSets(besides new: String) {
        let old = removableSets.map { "\(paths.quarantine)/\($0.name)" }.filter { $0 != new }
        for place in old.dropLast(max(0, policy.maximumSets - 1)) {
            try? FileTree.removeDirectory(place)
        }
    }
}
