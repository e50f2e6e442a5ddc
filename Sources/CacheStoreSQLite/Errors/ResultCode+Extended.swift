// SPDX-License-Identifier: MIT

/// The extended result codes of SQLite: the primary code in the low byte, the detail above it.
extension SQLiteError.ResultCode {
    /// A collation that the schema names is not registered.
    public static let SQLITE_ERROR_MISSING_COLLSEQ = Self(.SQLITE_ERROR, 1)
    /// A statement has to be prepared again.
    public static let SQLITE_ERROR_RETRY = Self(.SQLITE_ERROR, 2)
    /// A snapshot is no longer available.
    public static let SQLITE_ERROR_SNAPSHOT = Self(.SQLITE_ERROR, 3)
    /// Reading failed.
    public static let SQLITE_IOERR_READ = Self(.SQLITE_IOERR, 1)
    /// A file ended before the bytes that were to be read.
    public static let SQLITE_IOERR_SHORT_READ = Self(.SQLITE_IOERR, 2)
    /// Writing failed.
    public static let SQLITE_IOERR_WRITE = Self(.SQLITE_IOERR, 3)
    /// Flushing a file to the disk failed.
    public static let SQLITE_IOERR_FSYNC = Self(.SQLITE_IOERR, 4)
    /// Flushing a directory to the disk failed.
    public static let SQLITE_IOERR_DIR_FSYNC = Self(.SQLITE_IOERR, 5)
    /// Truncating a file failed.
    public static let SQLITE_IOERR_TRUNCATE = Self(.SQLITE_IOERR, 6)
    /// Asking for the attributes of a file failed.
    public static let SQLITE_IOERR_FSTAT = Self(.SQLITE_IOERR, 7)
    /// Releasing a lock failed.
    public static let SQLITE_IOERR_UNLOCK = Self(.SQLITE_IOERR, 8)
    /// Taking a read lock failed.
    public static let SQLITE_IOERR_RDLOCK = Self(.SQLITE_IOERR, 9)
    /// Deleting a file failed.
    public static let SQLITE_IOERR_DELETE = Self(.SQLITE_IOERR, 10)
    /// Not used by SQLite any more.
    public static let SQLITE_IOERR_BLOCKED = Self(.SQLITE_IOERR, 11)
    /// Memory ran out inside an operation on a file.
    public static let SQLITE_IOERR_NOMEM = Self(.SQLITE_IOERR, 12)
    /// Asking whether a file exists failed.
    public static let SQLITE_IOERR_ACCESS = Self(.SQLITE_IOERR, 13)
    /// Asking for a reserved lock failed.
    public static let SQLITE_IOERR_CHECKRESERVEDLOCK = Self(.SQLITE_IOERR, 14)
    /// Taking a lock failed.
    public static let SQLITE_IOERR_LOCK = Self(.SQLITE_IOERR, 15)
    /// Closing a file failed.
    public static let SQLITE_IOERR_CLOSE = Self(.SQLITE_IOERR, 16)
    /// Closing a directory failed.
    public static let SQLITE_IOERR_DIR_CLOSE = Self(.SQLITE_IOERR, 17)
    /// Opening the shared memory of the write-ahead log failed.
    public static let SQLITE_IOERR_SHMOPEN = Self(.SQLITE_IOERR, 18)
    /// Enlarging the shared memory of the write-ahead log failed.
    public static let SQLITE_IOERR_SHMSIZE = Self(.SQLITE_IOERR, 19)
    /// Locking the shared memory of the write-ahead log failed.
    public static let SQLITE_IOERR_SHMLOCK = Self(.SQLITE_IOERR, 20)
    /// Mapping the shared memory of the write-ahead log failed.
    public static let SQLITE_IOERR_SHMMAP = Self(.SQLITE_IOERR, 21)
    /// Moving the position in a file failed.
    public static let SQLITE_IOERR_SEEK = Self(.SQLITE_IOERR, 22)
    /// A file to delete was not there.
    public static let SQLITE_IOERR_DELETE_NOENT = Self(.SQLITE_IOERR, 23)
    /// Mapping the database file failed.
    public static let SQLITE_IOERR_MMAP = Self(.SQLITE_IOERR, 24)
    /// No directory for temporary files was found.
    public static let SQLITE_IOERR_GETTEMPPATH = Self(.SQLITE_IOERR, 25)
    /// A path could not be converted.
    public static let SQLITE_IOERR_CONVPATH = Self(.SQLITE_IOERR, 26)
    /// A file node is not valid any more.
    public static let SQLITE_IOERR_VNODE = Self(.SQLITE_IOERR, 27)
    /// The file system refused the access.
    public static let SQLITE_IOERR_AUTH = Self(.SQLITE_IOERR, 28)
    /// Starting an atomic write failed.
    public static let SQLITE_IOERR_BEGIN_ATOMIC = Self(.SQLITE_IOERR, 29)
    /// Ending an atomic write failed.
    public static let SQLITE_IOERR_COMMIT_ATOMIC = Self(.SQLITE_IOERR, 30)
    /// Undoing an atomic write failed.
    public static let SQLITE_IOERR_ROLLBACK_ATOMIC = Self(.SQLITE_IOERR, 31)
    /// A page does not match its checksum.
    public static let SQLITE_IOERR_DATA = Self(.SQLITE_IOERR, 32)
    /// The file system reported that it is damaged.
    public static let SQLITE_IOERR_CORRUPTFS = Self(.SQLITE_IOERR, 33)
    /// A table is locked by a connection with the same cache.
    public static let SQLITE_LOCKED_SHAREDCACHE = Self(.SQLITE_LOCKED, 1)
    /// A virtual table is locked.
    public static let SQLITE_LOCKED_VTAB = Self(.SQLITE_LOCKED, 2)
    /// Not used by SQLite any more.
    public static let SQLITE_CANTOPEN_NOTEMPDIR = Self(.SQLITE_CANTOPEN, 1)
    /// The path is a directory.
    public static let SQLITE_CANTOPEN_ISDIR = Self(.SQLITE_CANTOPEN, 2)
    /// The path could not be made absolute.
    public static let SQLITE_CANTOPEN_FULLPATH = Self(.SQLITE_CANTOPEN, 3)
    /// The path could not be converted.
    public static let SQLITE_CANTOPEN_CONVPATH = Self(.SQLITE_CANTOPEN, 4)
    /// Not used by SQLite.
    public static let SQLITE_CANTOPEN_DIRTYWAL = Self(.SQLITE_CANTOPEN, 5)
    /// The path is a symbolic link, which was forbidden.
    public static let SQLITE_CANTOPEN_SYMLINK = Self(.SQLITE_CANTOPEN, 6)
    /// The content of a virtual table is malformed.
    public static let SQLITE_CORRUPT_VTAB = Self(.SQLITE_CORRUPT, 1)
    /// The table of automatic row numbers is malformed.
    public static let SQLITE_CORRUPT_SEQUENCE = Self(.SQLITE_CORRUPT, 2)
    /// An index does not fit its table.
    public static let SQLITE_CORRUPT_INDEX = Self(.SQLITE_CORRUPT, 3)
    /// The write-ahead log needs recovery, which needs write access.
    public static let SQLITE_READONLY_RECOVERY = Self(.SQLITE_READONLY, 1)
    /// The shared memory of the write-ahead log cannot be locked.
    public static let SQLITE_READONLY_CANTLOCK = Self(.SQLITE_READONLY, 2)
    /// A hot journal needs to be rolled back, which needs write access.
    public static let SQLITE_READONLY_ROLLBACK = Self(.SQLITE_READONLY, 3)
    /// The database file was moved or deleted since it was opened.
    public static let SQLITE_READONLY_DBMOVED = Self(.SQLITE_READONLY, 4)
    /// The shared memory of the write-ahead log cannot be initialised.
    public static let SQLITE_READONLY_CANTINIT = Self(.SQLITE_READONLY, 5)
    /// The directory of the database cannot be written.
    public static let SQLITE_READONLY_DIRECTORY = Self(.SQLITE_READONLY, 6)
    /// The transaction was rolled back under a running statement.
    public static let SQLITE_ABORT_ROLLBACK = Self(.SQLITE_ABORT, 2)
    /// A check constraint failed.
    public static let SQLITE_CONSTRAINT_CHECK = Self(.SQLITE_CONSTRAINT, 1)
    /// A commit hook refused the commit.
    public static let SQLITE_CONSTRAINT_COMMITHOOK = Self(.SQLITE_CONSTRAINT, 2)
    /// A foreign key constraint failed.
    public static let SQLITE_CONSTRAINT_FOREIGNKEY = Self(.SQLITE_CONSTRAINT, 3)
    /// A function reported a constraint violation.
    public static let SQLITE_CONSTRAINT_FUNCTION = Self(.SQLITE_CONSTRAINT, 4)
    /// A column that must not be null was null.
    public static let SQLITE_CONSTRAINT_NOTNULL = Self(.SQLITE_CONSTRAINT, 5)
    /// A primary key is not unique.
    public static let SQLITE_CONSTRAINT_PRIMARYKEY = Self(.SQLITE_CONSTRAINT, 6)
    /// A trigger refused the change.
    public static let SQLITE_CONSTRAINT_TRIGGER = Self(.SQLITE_CONSTRAINT, 7)
    /// A unique constraint failed.
    public static let SQLITE_CONSTRAINT_UNIQUE = Self(.SQLITE_CONSTRAINT, 8)
    /// A virtual table refused the change.
    public static let SQLITE_CONSTRAINT_VTAB = Self(.SQLITE_CONSTRAINT, 9)
    /// A rowid is not unique.
    public static let SQLITE_CONSTRAINT_ROWID = Self(.SQLITE_CONSTRAINT, 10)
    /// An update tried to move a row that is in use.
    public static let SQLITE_CONSTRAINT_PINNED = Self(.SQLITE_CONSTRAINT, 11)
    /// A value has the wrong type for a column of a strict table.
    public static let SQLITE_CONSTRAINT_DATATYPE = Self(.SQLITE_CONSTRAINT, 12)
    /// The write-ahead log was recovered.
    public static let SQLITE_NOTICE_RECOVER_WAL = Self(.SQLITE_NOTICE, 1)
    /// A hot journal was rolled back.
    public static let SQLITE_NOTICE_RECOVER_ROLLBACK = Self(.SQLITE_NOTICE, 2)
    /// An automatic index was made.
    public static let SQLITE_WARNING_AUTOINDEX = Self(.SQLITE_WARNING, 1)
    /// Not used by SQLite.
    public static let SQLITE_AUTH_USER = Self(.SQLITE_AUTH, 1)
    /// Another process is recovering the write-ahead log.
    public static let SQLITE_BUSY_RECOVERY = Self(.SQLITE_BUSY, 1)
    /// A read transaction cannot write, since another connection wrote after its start.
    public static let SQLITE_BUSY_SNAPSHOT = Self(.SQLITE_BUSY, 2)
    /// A blocking lock was not granted in time.
    public static let SQLITE_BUSY_TIMEOUT = Self(.SQLITE_BUSY, 3)
}
