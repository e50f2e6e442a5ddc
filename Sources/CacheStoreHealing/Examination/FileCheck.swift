// SPDX-License-Identifier: MIT

import CacheStoreSQLite

/// What a check of a database file found.
package struct FileCheck: Sendable, Hashable {
    /// Something that is not as it should be.
    package struct Finding: Sendable, Hashable {
        /// A word that stays the same, for programs.
        package let code: String
        /// A sentence. Names and numbers only, no data.
        package let message: String

        package init(_ code: String, _ message: String) {
            self.code = code
            self.message = message
        }
    }

    /// The damage; none for a sound file.
    package var findings: [Finding] = []
    /// What is worth knowing and no damage.
    package var notes: [String] = []
    /// What could not be looked at, and why; then the file cannot be called sound.
    package var unknown: [String] = []
    /// The pages of the file that were compared with their checksum, and those that did not fit;
    /// `nil` where pages have no checksums.
    package var checkedPages: Int?
    package var failedPages: Int?
    /// Transactions that were acknowledged, and that SQLite does not find in the log any more: at
    /// least so many. Only a deep check looks for them.
    package var lostCommits = 0

    package init() {}

    package mutating func add(_ code: String, _ message: String) {
        findings.append(Finding(code, message))
    }
}

extension FileExamination {
    private static let maximumProblems = 10

    /// Checks the file: its header, the structure of its trees and lists, and the checksums of all
    /// pages where it has them. O(file).
    ///
    /// - Parameter deep: whether to compare indexes with their tables as well, O(file · log file), and
    ///   to read the log to its end.
    /// - Throws: ``PersistentStoreError`` where that says nothing about the content, like `busy`.
    package func check(deep: Bool) throws -> FileCheck {
        var check = FileCheck()
        switch kind {
        case .missing: check.add("missing", "There is no such file.")
        case .empty: check.add("empty", "The file has no content.")
        case .notADatabase: check.add("not-a-database", "The file is not a database.")
        case .newer(let version):
            check.unknown.append("The store has format \(version), which this version cannot read.")
        case .foreign, .store, .emptyStore: try checkDatabase(&check, deep: deep)
        }
        return check
    }

    private func checkDatabase(_ check: inout FileCheck, deep: Bool) throws {
        if header == nil, damage != nil || connection == nil {
            check.add("header", "The first page is destroyed.")
        } else if let damage {
            check.add("unreadable", "The database cannot be read: \(damage.code).")
        } else if kind == .store, meta == nil {
            check.add("meta", "What the store says about itself is missing or incomplete.")
        }
        let hasDamage = try connection.map { try checkStructure($0, &check, deep: deep) } ?? false
        try checkPages(&check, isDamaged: hasDamage || !check.findings.isEmpty)
        if deep, access == .withLog || access == .immutable { try checkLog(&check) }
        if access == .copy {
            check.notes.append("A journal has to be rolled back; a copy was looked at.")
        }
    }

    /// Returns whether anything was found.
    private func checkStructure(
        _ connection: Connection, _ check: inout FileCheck, deep: Bool
    ) throws -> Bool {
        do {
            let result =
                deep
                ? try connection.integrityCheck(maximumProblems: Self.maximumProblems)
                : try connection.quickCheck(maximumProblems: Self.maximumProblems)
            // SQLite gives the problems of all trees as one text.
            let problems = result.problems.flatMap { $0.split(whereSeparator: \.isNewline) }
                .filter { !$0.hasPrefix("***") }
            for problem in problems.prefix(Self.maximumProblems) {
                check.add("structure", Self.shortened(problem))
            }
            return !result.isOK
        } catch let error as SQLiteError {
            switch error.classification {
            case .damaged, .confirmFirst:
                if check.findings.isEmpty {
                    check.add("unreadable", "The database cannot be read: \(error.code).")
                }
                return true
            case .programming, .constraint:
                // A table of a module that this SQLite does not have, for one.
                check.unknown.append("SQLite cannot check the database: \(error.code).")
                return false
            default: throw PersistentStoreError(sqlite: error, path: paths.main)
            }
        }
    }

    // No longer than a terminal would take.
    private static func shortened(_ line: Substring) -> String {
        line.count > 200 ? String(line.prefix(200)) + "…" : String(line)
    }

    private func checkPages(_ check: inout FileCheck, isDamaged: Bool) throws {
        let statistics = (try? connection?.checksumStatistics).flatMap { $0 }
        if let statistics, statistics.writer == .anotherProgram {
            check.notes.append(
                "Another program has written to the store: its pages cannot be told from damaged "
                    + "ones until the store is opened or healed.")
        }
        let hasChecksums = header?.isSealed ?? (kind == .store)
        guard hasChecksums, access == .immutable || access == .withLog else {
            if let statistics, statistics.writer == .sealed {
                check.checkedPages = statistics.verifiedPages + statistics.verifiedLogPages
                check.failedPages = statistics.failedPages + statistics.failedLogPages
            }
            return
        }
        let survey: PageSurvey
        do {
            survey = try PageSurvey(
                RawFile(reading: paths.main), size: size,
                pageSize: header?.pageSize ?? StoreFormat.pageSize)
        } catch {
            throw PersistentStoreError(wrapping: error, path: paths.main)
        }
        check.checkedPages = survey.pageCount
        check.failedPages = survey.failedCount
        guard survey.failedCount > 0 else { return }
        let listed = survey.failed + survey.stale
        let list = listed.map(String.init).joined(separator: ", ")
        let pages =
            survey.failedCount == 1
            ? (survey.stale.isEmpty
                ? "The checksum of page \(list) does not fit"
                : "Page \(list) is that of an older version of the file")
            : "The checksums of \(survey.failedCount) pages do not fit: \(list)"
                + (survey.failedCount > listed.count ? ", …" : "")
        if isDamaged {
            // First: it is the cause of most of what else was found.
            check.findings.insert(FileCheck.Finding("pages", pages + "."), at: 0)
        } else {
            check.notes.append("\(pages); nothing uses them.")
        }
    }

    private func checkLog(_ check: inout FileCheck) throws {
        guard let logSize, logSize > 0 else { return }
        let survey: LogSurvey?
        do {
            survey = try LogSurvey(path: paths.log, pageSize: header?.pageSize)
        } catch {
            throw PersistentStoreError(wrapping: error, path: paths.log)
        }
        check.lostCommits = survey?.lostCommits ?? 0
        let lost =
            check.lostCommits == 1
            ? "a transaction that is lost" : "\(check.lostCommits) transactions that are lost"
        guard let survey, survey.isHeadWhole || check.lostCommits > 0 else {
            check.add("log", "What lies beside the database as its log is no log.")
            return
        }
        if !survey.isHeadWhole {
            check.add("log", "The head of the log is damaged, and behind it is \(lost).")
        } else if check.lostCommits > 0 {
            check.add(
                "log",
                "The log breaks off at frame \(survey.validFrames + 1), before the end of \(lost).")
        } else if survey.isUnfinished {
            check.notes.append("The log ends with a transaction that was not finished.")
        }
        check.notes.append(
            "The log has \(survey.committedFrames) pages that are not in the database file yet.")
    }
}
