// SPDX-License-Identifier: MIT

/// What is fixed when a store file is made.
enum StoreFormat {
    static let pageSize = 4096

    /// Bytes at the end of each page that SQLite leaves alone: room for a checksum of the page,
    /// which needs a rewrite of the whole file where it has none.
    static let reservedBytes = 8
}
