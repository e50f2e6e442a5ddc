// SPDX-License-Identifier: MIT

/// Why a package list cannot be read.
struct IndexError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    enum Code: Sendable {
        /// There is no list at all.
        case noIndex
        /// A list cannot be opened or read.
        case unreadable
        /// The program that unpacks lists is not there.
        case noUnpacker
        /// The program that unpacks lists failed.
        case unpackerFailed
    }

    let code: Code
    let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
