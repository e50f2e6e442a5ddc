// SPDX-License-Identifier: MIT

import CacheStoreHealing
import CacheStoreSQLite
import Foundation

/// Rows that tell who has written them, and whether they are whole.
struct StormContent: StoreContent {
    var fingerprint: String { "storm" }
    var storedDescription: Data { Data(#"{"storm":1}"#.utf8) }

    func createSchema(in connection: Connection) throws {
        try connection.execute(
            sql: """
                CREATE TABLE line (process INTEGER, number INTEGER, text TEXT,
                    PRIMARY KEY (process, number)) WITHOUT ROWID;
                CREATE INDEX line_text ON line (text)
                """)
    }

    func schemaIsIntact(in connection: Connection) throws -> Bool {
        try connection.statement(sql: "SELECT count(*) FROM pragma_table_info('line')")
            .first { $0.int64(at: 0) } == 3
    }

    func migrate(in connection: Connection, from stored: Data) throws -> MigrationSummary {
        throw Unmigratable(reason: "there is one version only")
    }

    /// The text of a row: of different lengths, and unlike that of any other.
    static func text(process: Int, number: Int) -> String {
        "\(process)/\(number) " + String(repeating: "s", count: (number * 131 + process) % 700)
    }
}

extension StoreFile {
    func addLines(_ numbers: Range<Int>, process: Int) throws {
        try write { connection in
            for number in numbers {
                let text = StormContent.text(process: process, number: number)
                try connection.execute("INSERT INTO line VALUES (\(process), \(number), \(text))")
            }
        }
    }

    /// How many of the first rows of a process are there, and whether each is as it was written.
    func lines(of process: Int, upTo end: Int) throws -> (count: Int, areWhole: Bool) {
        try read { connection in
            var count = 0
            var areWhole = true
            try connection.statement(
                "SELECT number, text FROM line WHERE process = \(process) AND number < \(end)"
            ).rows { row in
                count += 1
                let number = Int(row.int64(at: 0))
                if row.text(at: 1) != StormContent.text(process: process, number: number) {
                    areWhole = false
                }
            }
            return (count, areWhole)
        }
    }
}
