// SPDX-License-Identifier: MIT

#if canImport(Darwin)
    package import Darwin
#elseif canImport(Glibc)
    package import Glibc
#elseif canImport(Musl)
    package import Musl
#endif

/// The process that made a thing, so that a forked child can be refused.
///
/// A child has copies of its parent's handles but shares the open files behind them: what it does
/// with them, it does to the parent.
package struct ForkGuard: Sendable, Hashable {
    /// The process that made the guard.
    package let processID: pid_t

    /// Creates the guard of this process.
    package init() { processID = getpid() }

    /// Whether this is another process than the one that made the guard. Costs a system call.
    package var isForked: Bool { getpid() != processID }
}
