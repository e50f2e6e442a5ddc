// SPDX-License-Identifier: MIT
import CCacheStoreShims
import CCacheStoreSQLite

extension Connection {
    /// A switch of `sqlite3_db_config` (https://sqlite.org/c3ref/c_dbconfig_defensive.html).
    package struct Switch: Sendable, Hashable {
        let rawValue: Int32

        package static let defensive = Self(rawValue: SQLITE_DBCONFIG_DEFENSIVE)
        package static let doubleQuotedStringsInDDL = Self(rawValue: SQLITE_DBCONFIG_DQS_DDL)
        package static let doubleQuotedStringsInDML = Self(rawValue: SQLITE_DBCONFIG_DQS_DML)
        package static let foreignKeys = Self(rawValue: SQLITE_DBCONFIG_ENABLE_FKEY)
        package static let loadExtension = Self(rawValue: SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION)
        package static let noCheckpointOnClose = Self(rawValue: SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE)
        /// While on, `VACUUM` makes the database empty, whatever state it is in.
        package static let resetDatabase = Self(rawValue: SQLITE_DBCONFIG_RESET_DATABASE)
        package static let triggers = Self(rawValue: SQLITE_DBCONFIG_ENABLE_TRIGGER)
        package static let trustedSchema = Self(rawValue: SQLITE_DBCONFIG_TRUSTED_SCHEMA)
        package static let views = Self(rawValue: SQLITE_DBCONFIG_ENABLE_VIEW)
        package static let writableSchema = Self(rawValue: SQLITE_DBCONFIG_WRITABLE_SCHEMA)
    }

    package func configure(_ option: Switch, _ isOn: Bool) throws(SQLiteError) {
        _ = try configuration(option, value: isOn ? 1 : 0)
    }

    package func isConfigured(_ option: Switch) throws(SQLiteError) -> Bool {
        try configuration(option, value: -1)
    }

    private func configuration(_ option: Switch, value: Int32) throws(SQLiteError) -> Bool {
        try state.check()
        var answer: Int32 = 0
        let result = cachestore_db_config_flag(state.handle, option.rawValue, value, &answer)
        guard result == SQLITE_OK else { throw SQLiteError(result: result) }
        return answer != 0
    }

    /// A limit of `sqlite3_limit` (https://sqlite.org/c3ref/c_limit_attached.html).
    package struct Limit: Sendable, Hashable {
        let rawValue: Int32

        package static let length = Self(rawValue: SQLITE_LIMIT_LENGTH)
        package static let sqlLength = Self(rawValue: SQLITE_LIMIT_SQL_LENGTH)
        package static let columns = Self(rawValue: SQLITE_LIMIT_COLUMN)
        package static let expressionDepth = Self(rawValue: SQLITE_LIMIT_EXPR_DEPTH)
        package static let compoundSelects = Self(rawValue: SQLITE_LIMIT_COMPOUND_SELECT)
        package static let parameters = Self(rawValue: SQLITE_LIMIT_VARIABLE_NUMBER)
        package static let patternLength = Self(rawValue: SQLITE_LIMIT_LIKE_PATTERN_LENGTH)
    }

    package func limit(_ limit: Limit) -> Int {
        Int(sqlite3_limit(state.handle, limit.rawValue, -1))
    }

    /// Lowers a limit. SQLite cuts a value above the one it was built with, silently.
    package func setLimit(_ limit: Limit, to value: Int) {
        sqlite3_limit(state.handle, limit.rawValue, Int32(clamping: max(0, value)))
    }
}
