// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Runs code in a forked child, which Swift does not offer; only for exit tests, for a fork leaves
/// all threads but one behind.
enum ForkedChild {
    /// Returns the status that the body made the child exit with.
    static func run(_ body: () -> Int32) throws -> Int32 {
        let symbol = try #require(dlsym(nil, "fork"))
        typealias Fork = @convention(c) () -> pid_t
        // The symbol is the C library's fork, which has this type.
        let child = unsafeBitCast(symbol, to: Fork.self)()
        if child == 0 { _exit(body()) }
        try #require(child > 0)
        var status: Int32 = 0
        while waitpid(child, &status, 0) == -1 && errno == EINTR {}
        try #require(status & 0x7F == 0)
        return status >> 8 & 0xFF
    }
}
