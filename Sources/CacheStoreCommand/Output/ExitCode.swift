// SPDX-License-Identifier: MIT

/// How the program ends.
enum ExitCode: Int32 {
    case healthy = 0
    case damaged = 1
    case usage = 2
    case unknown = 3
}
