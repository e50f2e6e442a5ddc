// SPDX-License-Identifier: MIT

/// A name that is safe to use as one component of a path.
///
/// An application identifier or a namespace becomes a directory's name. It may come from a login
/// name or from a server, so it is checked as data: no separators, no way upwards, nothing hidden.
package struct PathComponent: Sendable, Hashable {
    /// The longest name a Linux file system takes, in bytes.
    package static let maximumByteCount = 255

    /// The name.
    package let string: String

    /// Creates a component from a name.
    ///
    /// - Parameter reservedByteCount: bytes kept free for what will be appended to the name.
    /// - Throws: ``DirectoryError`` with the code `invalidPathComponent`.
    package init(
        validating string: String, as role: String = "name", reservedByteCount: Int = 0
    ) throws(DirectoryError) {
        if let objection = Self.objection(to: string, reservedByteCount: reservedByteCount) {
            // The name itself is left out: a namespace is user data.
            throw DirectoryError(
                .invalidPathComponent, "The \(role) \(objection), so it cannot name a file.")
        }
        self.string = string
    }

    private static func objection(to string: String, reservedByteCount: Int) -> String? {
        let limit = maximumByteCount - reservedByteCount
        if string.isEmpty { return "is empty" }
        if string.utf8.count > limit { return "is longer than \(limit) bytes" }
        if string.utf8.first == UInt8(ascii: ".") { return "starts with a dot" }
        if string.utf8.contains(UInt8(ascii: "/")) { return "contains a slash" }
        let hasControls = string.unicodeScalars.contains { scalar in
            scalar.properties.generalCategory == .control
        }
        return hasControls ? "contains a control character" : nil
    }
}
