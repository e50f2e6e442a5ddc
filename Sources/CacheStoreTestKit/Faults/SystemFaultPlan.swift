// SPDX-License-Identifier: MIT
import CCacheStoreFaults
public import Foundation

/// Faults of the system under everything that a process does with files: SQLite's calls, and those
/// of a program's own code and of Foundation.
///
/// A plan is for the files whose path begins with one folder, and needs no set-up: a program that
/// has the test kit in it calls the system through it. Files elsewhere are untouched, so tests with
/// plans run side by side.
///
/// ```swift
/// let plan = try SystemFaultPlan(for: folder)
/// for n in 0... {
///     let before = plan.faultCount
///     plan.failNext(.all, after: n, with: EIO)
///     try? openSaveAndCloseMyCache(in: folder)
///     plan.disarm()
///     #expect(try contentOfMyCache(in: folder) == expected, "\(plan.lastFault)")
///     if plan.faultCount == before { break }         // it made no more than n calls
/// }
/// ```
///
/// It works by standing in for functions of the C library, on Linux with glibc, where nothing is
/// linked statically against it, and not under a sanitizer, which does the same: ``isAvailable``
/// tells. Not seen are calls that the C library makes for itself (`fopen`, `opendir`, `realpath`,
/// `mkstemp`), files that were opened before the plan began or that came from another process, and
/// reads and writes through a mapping. For what a power cut leaves behind, see ``FaultPlan``.
///
/// Any thread may use a plan. It ends with the last reference to it.
public final class SystemFaultPlan: Sendable {
    /// Whether calls can fail in this build at all.
    public static var isAvailable: Bool { cachestore_system_faults_are_available() != 0 }

    private let watch: Int32

    /// Creates a plan.
    ///
    /// - Parameter folder: where the files are, as a program names them: links are not resolved.
    /// - Throws: ``SystemFaultPlanError`` where it is not available, and while 64 others exist.
    public init(for folder: URL) throws {
        var path = folder.path(percentEncoded: false)
        while path.hasSuffix("/") { path.removeLast() }
        watch = cachestore_system_faults_begin(path)
        guard watch >= 0 else { throw SystemFaultPlanError(isAvailable: Self.isAvailable) }
    }

    deinit {
        if watch >= 0 { cachestore_system_faults_end(watch) }
    }

    /// Lets one call fail, or all from one on. Replaces what was planned before.
    ///
    /// - Parameters:
    ///   - calls: what fails, and is counted.
    ///   - count: how many of them succeed first.
    ///   - error: the `errno` of the failure.
    ///   - effect: what is done nevertheless.
    ///   - forEver: whether all later ones fail as well.
    public func failNext(
        _ calls: SystemCalls = .all, after count: Int = 0, with error: Int32 = EIO,
        effect: SystemFaultEffect = .fails, forEver: Bool = false
    ) {
        precondition(count >= 0, "a number of calls is not negative")
        cachestore_system_faults_arm(
            watch, Int32(truncatingIfNeeded: calls.rawValue), effect.effect, UInt64(count) + 1,
            forEver ? 1 : 0, error)
    }

    /// Nothing fails any more.
    public func disarm() { cachestore_system_faults_disarm(watch) }

    /// How many calls there have been, failed ones included.
    public var callCount: Int { Int(clamping: cachestore_system_faults_calls(watch)) }

    /// How many faults there have been.
    public var faultCount: Int { Int(clamping: cachestore_system_faults_count(watch)) }

    /// The last call that failed, as `open /folder/file`; empty where none has.
    public var lastFault: String {
        var buffer = [CChar](repeating: 0, count: 256)
        cachestore_system_faults_last(watch, &buffer, Int32(buffer.count))
        return String(
            decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Why there is no ``SystemFaultPlan``.
public struct SystemFaultPlanError: Error, Sendable, Hashable {
    /// Whether this build can have one: then too many exist.
    public let isAvailable: Bool
}
