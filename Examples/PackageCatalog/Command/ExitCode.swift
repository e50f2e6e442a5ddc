// SPDX-License-Identifier: MIT

/// How the program ends.
enum ExitCode: Int32, Sendable {
    /// All went well.
    case success = 0
    /// The work failed, or what was asked for is not there.
    case failure = 1
    /// The command line makes no sense.
    case usage = 2
}
