// SPDX-License-Identifier: MIT

/// An error of SQLite, as it is found under the errors of a store.
///
/// Values that were bound to a statement are never part of it; the text of the statement is.
///
/// ```swift
/// do { … } catch SQLiteError.ResultCode.SQLITE_FULL { … }
/// ```
public struct SQLiteError: Error, Sendable, Hashable {
    /// A result code of SQLite: a primary code, or an extended one that contains it.
    public struct ResultCode: RawRepresentable, Sendable, Hashable {
        /// The number as SQLite defines it.
        public let rawValue: Int32

        /// Creates a code from SQLite's number.
        public init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        init(_ primary: Self, _ detail: Int32) {
            rawValue = primary.rawValue | detail << 8
        }
    }

    /// The result code, extended where SQLite gives an extended one.
    public let code: ResultCode

    /// SQLite's text for the error. Bytes that are not UTF-8 are replaced.
    public let message: String

    /// The statement that failed, without the values bound to it.
    public let sql: String?

    /// The `errno` of the system call that failed, 0 when there was none.
    public let systemErrno: Int32

    package init(code: ResultCode, message: String, sql: String? = nil, systemErrno: Int32 = 0) {
        self.code = code
        self.message = message
        self.sql = sql
        self.systemErrno = systemErrno
    }
}

extension SQLiteError.ResultCode {
    /// The code without its detail: `SQLITE_IOERR` for `SQLITE_IOERR_READ`.
    public var primary: Self {
        Self(rawValue: rawValue & 0xFF)
    }

    /// Returns whether a code is the pattern, or an extended form of it.
    public static func ~= (pattern: Self, code: Self) -> Bool {
        pattern == code || pattern == code.primary
    }

    /// Returns whether an error is a ``SQLiteError`` whose code is the pattern, or an extended form
    /// of it.
    public static func ~= (pattern: Self, error: any Error) -> Bool {
        guard let error = error as? SQLiteError else { return false }
        return pattern ~= error.code
    }

    // SQLite numbers the details of a code from 1; ours start far above, so that they never meet.

    /// The connection was poisoned: the content it was opened for has been replaced.
    package static let connectionPoisoned = Self(.SQLITE_MISUSE, 200)

    /// The connection was opened before a `fork()`, in the parent process.
    package static let connectionForked = Self(.SQLITE_MISUSE, 201)

    /// The connection, or its pool, was closed.
    package static let connectionClosed = Self(.SQLITE_MISUSE, 202)
}

extension SQLiteError: CustomStringConvertible {
    /// The code, the message and the statement, as
    /// ``SQLITE_FULL (13): database or disk is full – while executing `INSERT …` ``.
    public var description: String {
        var text = "\(code): \(message)"
        if systemErrno != 0 { text += " (errno \(systemErrno))" }
        if let sql { text += " – while executing `\(Self.shortened(sql))`" }
        return text
    }

    private static func shortened(_ sql: String) -> String {
        let limit = 400
        guard let end = sql.index(sql.startIndex, offsetBy: limit, limitedBy: sql.endIndex),
            end != sql.endIndex
        else { return sql }
        return sql[..<end] + "…"
    }
}
