// SPDX-License-Identifier: MIT

/// The argument of a pragma. Pragmas take no bound values, so only what needs no quoting fits.
package enum PragmaArgument: Sendable, Hashable {
    case integer(Int64)
    /// A word like `WAL`: letters, digits and underscores.
    case keyword(String)
}

extension PragmaArgument: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(stringLiteral value: String) { self = .keyword(value) }
}

extension Connection {
    /// Reads a pragma: the first column of the first row, `nil` without rows, as for a name that
    /// SQLite does not know.
    package func pragma(_ name: String) throws -> SQLBinding? {
        try runPragma("PRAGMA \(Self.word(name))")
    }

    /// Sets a pragma, and returns what SQLite answers: some tell the value now in force, which may
    /// be another than was asked for.
    @discardableResult
    package func setPragma(_ name: String, to argument: PragmaArgument) throws -> SQLBinding? {
        let text =
            switch argument {
            case .integer(let value): "\(value)"
            case .keyword(let value): try Self.word(value)
            }
        return try runPragma("PRAGMA \(Self.word(name)) = \(text)")
    }

    private func runPragma(_ sql: String) throws -> SQLBinding? {
        // Not cached: most pragmas run once in the life of a connection.
        try prepare(sql: sql).first { $0.value(at: 0) }
    }

    private static func word(_ text: String) throws(SQLiteError) -> String {
        let isWord = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isWord, !text.isEmpty else {
            throw SQLiteError(code: .SQLITE_MISUSE, message: "not a word that a pragma can take")
        }
        return text
    }
}
