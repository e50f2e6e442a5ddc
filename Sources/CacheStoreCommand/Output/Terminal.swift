// SPDX-License-Identifier: MIT

import Foundation

/// Where results and messages go.
enum Terminal {
    /// Writes a result, and returns whether all of it was written.
    ///
    /// A reader that has gone away ends the program by SIGPIPE, as it should be in a pipeline.
    static func write(_ text: String) -> Bool {
        guard write(text, to: STDOUT_FILENO) else {
            complain("the result cannot be written")
            return false
        }
        return true
    }

    /// Writes a message about something that went wrong.
    static func complain(_ message: String, isBare: Bool = false) {
        _ = write((isBare ? "" : "cachestore: ") + message + "\n", to: STDERR_FILENO)
    }

    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
