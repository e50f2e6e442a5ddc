// SPDX-License-Identifier: MIT
import CCacheStoreSQLite

extension Connection.Location {
    /// The URI to open. A path is always given as one: Debian's SQLite takes any name that starts
    /// with "file:" for a URI (`SQLITE_USE_URI`), so a plain path is not safe.
    func uri(mode: Connection.Mode) throws(SQLiteError) -> String {
        guard case .file(let path) = self else { return "file::memory:" }
        // A NUL would end the name early, and open another file.
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw SQLiteError(
                code: .SQLITE_CANTOPEN, message: "the path is empty or contains a NUL")
        }
        let start = path.hasPrefix("/") ? "file://" : "file:"
        let uri =
            path.utf8.allSatisfy(Self.needsNoEscape) ? start + path : start + Self.escaped(path)
        return mode == .immutable ? uri + "?immutable=1" : uri
    }

    private static func needsNoEscape(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
            UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func escaped(_ path: String) -> String {
        var text = ""
        for byte in path.utf8 {
            if needsNoEscape(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                text += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return text
    }
}

extension Connection.Mode {
    var flags: Int32 {
        switch self {
        case .readWriteCreate: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .readWrite: SQLITE_OPEN_READWRITE
        case .readOnly, .immutable: SQLITE_OPEN_READONLY
        }
    }
}
