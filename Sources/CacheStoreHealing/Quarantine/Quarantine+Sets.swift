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
                reason: reason, isPermanent: isPermanent, place: paths.main, madeAt: now,
                modelFingerprint: report.oldFingerprint,
                storeIdentifier: report.oldStoreIdentifier,
                error: report.underlyingError.map { String(describing: $0) }))
        let file = try RawFile(creating: place + "/report.json")
        try file.append(Array(data))
        try file.synchronize()
    }

    /// The sets of this store that may be deleted, the oldest first. What has no report that can be
    /// read is not touched: it may be anybody's.
    private var removableSets: [String] {
        let prefix = paths.name + "-"
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return FileTree.names(in: paths.quarantine).filter { name in
            guard name.hasPrefix(prefix),
                let data = FileManager.default.contents(
                    atPath: "\(paths.quarantine)/\(name)/report.json"),
                let report = try? decoder.decode(SetReport.self, from: data)
            else { return false }
            return !report.isPermanent && report.place == paths.main
        }
    }

    /// A set younger than the policy's interval. One from the future says that the clock was wrong
    /// once, and must not keep newer ones away until then.
    var recentSet: String? {
        removableSets.last { name in
            guard let status = FileTree.status(at: "\(paths.quarantine)/\(name)") else {
                return false
            }
            #if canImport(Darwin)
                let seconds = status.st_mtimespec.tv_sec
            #else
                let seconds = status.st_mtim.tv_sec
            #endif
            let age = Duration.seconds(Int64(now.timeIntervalSince1970) - Int64(seconds))
            return age >= .zero && age < policy.minimumInterval
        }
    }

    func removeOldSets(besides new: String) {
        let old = removableSets.map { "\(paths.quarantine)/\($0)" }.filter { $0 != new }
        for place in old.dropLast(max(0, policy.maximumSets - 1)) {
            try? FileTree.removeDirectory(place)
        }
    }
}
