// SPDX-License-Identifier: MIT

/// The primary result codes of SQLite, in their C spelling (https://sqlite.org/rescode.html).
extension SQLiteError.ResultCode {
    /// Success.
    public static let SQLITE_OK = Self(rawValue: 0)
    /// A generic error: mostly SQL that does not fit the schema.
    public static let SQLITE_ERROR = Self(rawValue: 1)
    /// A fault inside SQLite.
    public static let SQLITE_INTERNAL = Self(rawValue: 2)
    /// The requested access is not granted.
    public static let SQLITE_PERM = Self(rawValue: 3)
    /// The operation was ended by a callback or by a rollback.
    public static let SQLITE_ABORT = Self(rawValue: 4)
    /// Another connection holds a lock that is needed.
    public static let SQLITE_BUSY = Self(rawValue: 5)
    /// A table is locked within this connection or its shared cache.
    public static let SQLITE_LOCKED = Self(rawValue: 6)
    /// Memory ran out.
    public static let SQLITE_NOMEM = Self(rawValue: 7)
    /// The database cannot be written.
    public static let SQLITE_READONLY = Self(rawValue: 8)
    /// The operation was interrupted.
    public static let SQLITE_INTERRUPT = Self(rawValue: 9)
    /// The operating system reported an error on a file.
    public static let SQLITE_IOERR = Self(rawValue: 10)
    /// The database file is malformed.
    public static let SQLITE_CORRUPT = Self(rawValue: 11)
    /// An unknown file control or other name was asked for.
    public static let SQLITE_NOTFOUND = Self(rawValue: 12)
    /// The disk or the database is full.
    public static let SQLITE_FULL = Self(rawValue: 13)
    /// A file could not be opened.
    public static let SQLITE_CANTOPEN = Self(rawValue: 14)
    /// The locking protocol of the write-ahead log failed.
    public static let SQLITE_PROTOCOL = Self(rawValue: 15)
    /// Not used by SQLite.
    public static let SQLITE_EMPTY = Self(rawValue: 16)
    /// The schema changed while a statement was prepared.
    public static let SQLITE_SCHEMA = Self(rawValue: 17)
    /// A text or blob exceeds a size limit.
    public static let SQLITE_TOOBIG = Self(rawValue: 18)
    /// A constraint of the schema was violated.
    public static let SQLITE_CONSTRAINT = Self(rawValue: 19)
    /// A value has the wrong type, as a rowid that is no integer.
    public static let SQLITE_MISMATCH = Self(rawValue: 20)
    /// The library was called in a way it forbids.
    public static let SQLITE_MISUSE = Self(rawValue: 21)
    /// Large files are not supported here.
    public static let SQLITE_NOLFS = Self(rawValue: 22)
    /// The authorizer refused a statement.
    public static let SQLITE_AUTH = Self(rawValue: 23)
    /// Not used by SQLite.
    public static let SQLITE_FORMAT = Self(rawValue: 24)
    /// A parameter or column index is out of range.
    public static let SQLITE_RANGE = Self(rawValue: 25)
    /// The file is not a database.
    public static let SQLITE_NOTADB = Self(rawValue: 26)
    /// A notice for the log.
    public static let SQLITE_NOTICE = Self(rawValue: 27)
    /// A warning for the log.
    public static let SQLITE_WARNING = Self(rawValue: 28)
    /// A row is ready; no error.
    public static let SQLITE_ROW = Self(rawValue: 100)
    /// A statement has run to its end; no error.
    public static let SQLITE_DONE = Self(rawValue: 101)
}
