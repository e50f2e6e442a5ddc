// SPDX-License-Identifier: MIT

import Foundation

/// Results go to the standard output and nothing else does.
enum StandardStreams {
    static func printResult(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }

    static func tell(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("benchmarks: \(text)\n".utf8))
    }
}
