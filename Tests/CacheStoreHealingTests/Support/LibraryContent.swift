// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import CacheStoreTestKit
import Foundation

@testable import CacheStoreHealing

/// A content with what stores have: tables of row numbers, one of its own key, indexes, long values.
struct LibraryContent: StoreContent {
    /// Version 2 has other columns in another order.
    var version = 1

    var fingerprint: String { "library-\(version)" }
    var storedDescription: Data { Data(#"{"version":\#(version)}"#.utf8) }

    static let tables = ["author", "book", "book_tags"]

    func createSchema(in connection: Connection) throws {
        let more = version == 1 ? "" : ", subtitle TEXT DEFAULT 'none'"
        try connection.execute(
            sql: """
                CREATE TABLE author ("_id" INTEGER PRIMARY KEY, "_version" INTEGER NOT NULL,
                    name TEXT, born REAL);
                CREATE TABLE book ("_id" INTEGER PRIMARY KEY, "_version" INTEGER NOT NULL,
                    title TEXT, pages INTEGER, cover BLOB, author INTEGER\(more));
                CREATE TABLE book_tags (book_id INTEGER NOT NULL, tag_id INTEGER NOT NULL,
                    position INTEGER, PRIMARY KEY (book_id, tag_id)) WITHOUT ROWID;
                CREATE INDEX book_author ON book (author);
                CREATE UNIQUE INDEX author_name ON author (name);
                CREATE INDEX book_tags_reverse ON book_tags (tag_id, book_id)
                """)
    }

    func schemaIsIntact(in connection: Connection) throws -> Bool {
        var names: Set<String> = []
        try connection.prepare(sql: "SELECT name FROM sqlite_schema").rows { row in
            names.insert(row.text(at: 0) ?? "")
        }
        var columns: [String] = []
        try connection.prepare(sql: "SELECT name FROM pragma_table_info('book')").rows { row in
            columns.append(row.text(at: 0) ?? "")
        }
        return names.isSuperset(of: Self.tables + ["book_author", "author_name"])
            && columns.contains("subtitle") == (version == 2)
    }

    func migrate(in connection: Connection, from stored: Data) throws -> MigrationSummary {
        guard version == 2, String(decoding: stored, as: UTF8.self) == #"{"version":1}"# else {
            throw Unmigratable(reason: "no way from there to version \(version)")
        }
        try connection.execute(
            sql: "ALTER TABLE book ADD COLUMN subtitle TEXT DEFAULT 'none'")
        return MigrationSummary(changes: ["subtitle added to book"])
    }
}

/// All rows of a database, by table and key, each as one text.
struct LibraryRows: Equatable, Sendable {
    private(set) var rows: [String: String] = [:]

    init() {}

    init(of connection: Connection) throws {
        for table in LibraryContent.tables {
            let keys = table == "book_tags" ? 2 : 1
            // A table that could not be salvaged has no rows.
            guard let statement = try? connection.prepare(sql: "SELECT * FROM \(table)") else {
                continue
            }
            try statement.rows { row in
                let values = (0..<Int32(row.columnCount)).map { "\(row.value(at: $0))" }
                rows["\(table) \(values.prefix(keys))"] = "\(values.dropFirst(keys))"
            }
        }
    }

    var count: Int { rows.count }

    func count(of table: String) -> Int { rows.keys.count { $0.hasPrefix(table + " ") } }

    /// How many rows of this are the same in another database.
    func countSame(in other: LibraryRows) -> Int {
        rows.count { other.rows[$0.key] == $0.value }
    }

    /// Rows of another database that were never in this one, or are different in it.
    func altered(in other: LibraryRows) -> [String] {
        other.rows.filter { rows[$0.key] != $0.value }.map(\.key).sorted()
    }
}

/// A store of about 2 MB that is closed, with all its rows.
struct LibrarySample {
    let store: TemporaryStore
    let rows: LibraryRows

    static let pageSize = 4096

    /// The files of a store, made once for all tests.
    fileprivate struct Image: Sendable {
        let main: Data
        let log: Data
        let rows: LibraryRows
    }

    private static let closed = Result { try Image(leavesLog: false) }
    private static let killed = Result { try Image(leavesLog: true) }

    /// - Parameter leavesLog: whether the store is as a process leaves it that is killed, its last
    ///   changes in the log.
    init(leavesLog: Bool = false) throws {
        let image = try (leavesLog ? Self.killed : Self.closed).get()
        store = try TemporaryStore(syncsForNothing: true)
        rows = image.rows
        try store.write(image.main)
        if !image.log.isEmpty { try store.write(image.log, to: store.paths.log) }
    }

    fileprivate static func fill(_ connection: Connection, books: Int, from first: Int) throws {
        var random = SeededRandomNumberGenerator(seed: UInt64(first))
        for number in first..<first + books {
            if number % 10 == 1 {
                try connection.execute(
                    """
                    INSERT INTO author VALUES (\(number / 10 + 1), 1, \("author \(number)"), \
                    \(Double(number) + 0.25))
                    """)
            }
            // Now and then longer than a page.
            let size = number % 50 == 0 ? 6_000 : 350
            let cover = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
            try connection.execute(
                """
                INSERT INTO book ("_id", "_version", title, pages, cover, author) VALUES \
                (\(number), 1, \("book number \(number)"), \(number % 900), \(Data(cover)), \
                \(number / 10 + 1))
                """)
            for tag in 0..<(number % 12 == 0 ? 3 : 0) {
                try connection.execute(
                    "INSERT INTO book_tags VALUES (\(number), \(tag + number % 40), \(tag))")
            }
        }
    }

    var pageCount: Int { (store.contents()?.count ?? 0) / Self.pageSize }

    /// Overwrites a part of pages.
    func damage(pages: some Sequence<Int>, seed: UInt64) throws {
        var random = SeededRandomNumberGenerator(seed: seed)
        var data = store.contents() ?? Data()
        for page in pages {
            let start = (page - 1) * Self.pageSize
            let offset = start + Int.random(in: 0..<Self.pageSize - 64, using: &random)
            for byte in offset..<offset + 64 {
                data[byte] ^= UInt8.random(in: 1...255, using: &random)
            }
        }
        try data.write(to: store.url)
    }

    func zero(pages: [Int]) throws {
        for page in pages {
            try store.overwrite(
                at: (page - 1) * Self.pageSize, with: [UInt8](repeating: 0, count: Self.pageSize))
        }
    }

    /// The root page of a table or an index.
    func root(of name: String) throws -> Int {
        let connection = try Connection(.file(store.path), mode: .immutable)
        return Int(
            try connection.prepare("SELECT rootpage FROM sqlite_schema WHERE name = \(name)")
                .first { $0.int64(at: 0) } ?? 0)
    }

    /// Salvages into a new file, and reads that with SQLite.
    func salvage(
        _ salvage: DatabaseSalvage = DatabaseSalvage()
    ) throws -> (report: SalvageReport, rows: LibraryRows) {
        let new = store.directory + "/new.sqlite"
        try? FileTree.remove(new)
        let report = try salvage.run(from: store.path, to: new)
        try ChecksumVFS.register()
        let connection = try Connection(.file(new), mode: .readOnly, vfs: ChecksumVFS.name)
        guard try connection.integrityCheck().isOK else { throw NoFile() }
        return (report, try LibraryRows(of: connection))
    }
}

extension LibrarySample.Image {
    init(leavesLog: Bool) throws {
        let store = try TemporaryStore(syncsForNothing: true)
        guard let file = try StoreOpener.open(at: store.url, content: LibraryContent()).file else {
            throw NoFile()
        }
        try file.write { try LibrarySample.fill($0, books: 3_800, from: 1) }
        // Deleted rows leave free pages with their content.
        try file.write { connection in
            try connection.execute(sql: "DELETE FROM book WHERE _id % 1000 > 900")
            try connection.execute(sql: "UPDATE author SET born = born + 0.5 WHERE _id % 7 = 0")
        }
        guard leavesLog else {
            rows = try file.read { try LibraryRows(of: $0) }
            try file.close()
            main = store.contents() ?? Data()
            log = Data()
            return
        }
        try file.checkpoint()
        try file.write { connection in
            try LibrarySample.fill(connection, books: 300, from: 1_000_001)
            try connection.execute(
                sql: "UPDATE book SET title = title || ' (new)' WHERE _id % 5 = 0")
        }
        main = store.contents() ?? Data()
        log = store.contents(store.paths.log) ?? Data()
        rows = try file.read { try LibraryRows(of: $0) }
        try file.close()
    }
}
