// SPDX-License-Identifier: MIT
import CCacheStoreSQLite

/// The prepared statements of one connection, by text and by key; the one used longest ago goes
/// first.
final class StatementCache {
    struct Counts: Hashable {
        var hits = 0
        var misses = 0
    }

    private struct Entry {
        var statement: Statement
        var lastUse: UInt64
        var text: String?
        var key: StatementKey?
    }

    // One thread uses the cache, and nothing calls out while it is being changed, so accesses cannot
    // overlap; the run-time check of that would cost more than a lookup.

    private let capacity: Int
    @exclusivity(unchecked) private var entries: [Entry] = []
    @exclusivity(unchecked) private var byText: [String: Int] = [:]
    @exclusivity(unchecked) private var byKey: [StatementKey: Int] = [:]
    /// The statement that was asked for last by its key: mostly it is the next one, too, and comparing
    /// two numbers is less than hashing one.
    @exclusivity(unchecked) private var latest: (key: StatementKey, index: Int)?
    @exclusivity(unchecked) private var clock: UInt64 = 0
    @exclusivity(unchecked) private(set) var counts = Counts()

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { entries.count }

    func statement(
        text: String, prepare: () throws(SQLiteError) -> Statement
    ) throws(SQLiteError) -> Statement {
        if let index = byText[text] {
            if let statement = take(at: index) { return statement }
            return try prepare()
        }
        return try insert(prepare(), text: text, key: nil)
    }

    func statement(
        key: StatementKey, prepare: () throws(SQLiteError) -> Statement
    ) throws(SQLiteError) -> Statement {
        if let index = index(of: key) {
            if let statement = take(at: index) { return statement }
            return try prepare()
        }
        return try insert(prepare(), text: nil, key: key)
    }

    private func index(of key: StatementKey) -> Int? {
        if let latest, latest.key == key { return latest.index }
        guard let index = byKey[key] else { return nil }
        latest = (key, index)
        return index
    }

    func removeAll() {
        latest = nil
        entries.removeAll()
        byText.removeAll()
        byKey.removeAll()
    }

    /// The statement, reset and without bindings; `nil` when somebody still has it, as in a loop
    /// over rows that runs the same query for each.
    private func take(at index: Int) -> Statement? {
        guard isKnownUniquelyReferenced(&entries[index].statement) else {
            counts.misses += 1
            return nil
        }
        clock += 1
        counts.hits += 1
        entries[index].lastUse = clock
        let statement = entries[index].statement
        statement.reset()
        statement.clearBindings()
        return statement
    }

    private func insert(_ statement: Statement, text: String?, key: StatementKey?) -> Statement {
        clock += 1
        counts.misses += 1
        let entry = Entry(statement: statement, lastUse: clock, text: text, key: key)
        var index = entries.count
        if entries.count < capacity {
            entries.append(entry)
        } else {
            // A scan, but only beside a prepare, which costs many times more.
            index = entries.indices.min { entries[$0].lastUse < entries[$1].lastUse } ?? 0
            if let old = entries[index].text { byText[old] = nil }
            if let old = entries[index].key { byKey[old] = nil }
            entries[index] = entry
            if latest?.index == index { latest = nil }
        }
        if let text { byText[text] = index }
        if let key { byKey[key] = index }
        return statement
    }
}

extension Connection {
    /// Returns the prepared statement for a text, from the cache where it is there and not in use.
    ///
    /// It comes reset and without bindings. While it is held, the next request for the same text
    /// gets another one.
    package func statement(sql: String) throws(SQLiteError) -> Statement {
        try state.check()
        return try cache.statement(text: sql) { () throws(SQLiteError) in
            try prepare(sql, flags: SQLITE_PREPARE_PERSISTENT)
        }
    }

    /// Returns the prepared statement for a key; the closure gives the text when it is not cached.
    package func statement(
        _ key: StatementKey, sql: () -> String
    ) throws(SQLiteError) -> Statement {
        try state.check()
        return try cache.statement(key: key) { () throws(SQLiteError) in
            try prepare(sql(), flags: SQLITE_PREPARE_PERSISTENT)
        }
    }

    /// Returns the cached statement for the shape of a fragment, with its values bound, if any.
    package func statement(_ fragment: SQLFragment) throws(SQLiteError) -> Statement {
        let statement = try statement(sql: fragment.text)
        let bindings = fragment.bindings
        if !bindings.isEmpty { try statement.bind(bindings) }
        return statement
    }

    /// Finalises the cached statements, so that the connection can be closed or its schema changed.
    package func clearStatementCache() { cache.removeAll() }

    /// Resets every statement that somebody left in the middle: it would keep a read transaction
    /// open, and with it the log from shrinking.
    package func resetStatements() {
        var next = sqlite3_next_stmt(state.handle, nil)
        while let statement = next {
            if sqlite3_stmt_busy(statement) != 0 { sqlite3_reset(statement) }
            next = sqlite3_next_stmt(state.handle, statement)
        }
    }
}
