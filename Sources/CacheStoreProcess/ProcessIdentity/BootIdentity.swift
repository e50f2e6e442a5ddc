// SPDX-License-Identifier: MIT

/// The identity of the running system's boot: another value after each start of the machine.
package struct BootIdentity: Sendable, Hashable {
    /// The identity as the kernel writes it.
    package let string: String

    /// The identity of this boot; `nil` where the system has none (it is Linux's).
    package static var current: BootIdentity? {
        BootIdentity(readingFrom: "/proc/sys/kernel/random/boot_id")
    }

    /// Reads the identity from a file that holds it and a line's end.
    package init?(readingFrom path: String) {
        guard let line = SystemCall.contents(of: path)?.split(whereSeparator: \.isWhitespace).first
        else { return nil }
        string = String(line)
    }

    /// Creates the identity that was stored as a string.
    package init(string: String) { self.string = string }
}
