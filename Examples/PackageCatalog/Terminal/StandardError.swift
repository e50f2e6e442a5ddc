// SPDX-License-Identifier: MIT

import Foundation

/// What the program has to say beside its answers.
enum StandardError {
    /// Writes a line, with the name of the program before it.
    static func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("PackageCatalog: \(text)\n".utf8))
    }
}
