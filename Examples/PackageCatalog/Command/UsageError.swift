// SPDX-License-Identifier: MIT

/// A command line that makes no sense.
struct UsageError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, as the end of the sentence `PackageCatalog: …`.
    let description: String

    init(_ description: String) { self.description = description }
}
