// SPDX-License-Identifier: MIT

/// The newest version of a page that can be read.
struct StoredPage {
    let number: Int
    let bytes: [UInt8]
    /// Whether a checksum says that this is what was written last.
    let isProven: Bool
}
