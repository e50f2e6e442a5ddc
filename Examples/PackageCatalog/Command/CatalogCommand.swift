// SPDX-License-Identifier: MIT

/// What the program is asked to do.
enum CatalogCommand: Sendable, Equatable {
    /// Read the package lists into the cache: what is installed, with `all` apt's lists too, or
    /// the files named and nothing else; wait for `pause` milliseconds after each batch.
    case refresh(all: Bool, indexes: [String], pause: Int)
    /// List the packages whose name or summary holds a text.
    case search(text: String)
    /// Show one package.
    case show(name: String)
    /// List what a package depends on, or with `reverse` what depends on it.
    case depends(name: String, reverse: Bool, recursive: Bool)
    /// Count what is in the cache.
    case stats
    /// Tell how the cache was opened, and whether it had to be healed.
    case status
    /// Explain the program.
    case help
    /// Print the version.
    case version
}
