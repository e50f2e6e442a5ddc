// SPDX-License-Identifier: MIT
import CCacheStoreFaults
import CCacheStoreSQLite
public import Foundation

/// Faults of the system under a store: the n-th write fails, a sync pretends, the power goes.
///
/// A plan is for all files below one folder, whoever opens them in this process, as long as they are
/// opened through the plan's VFS: make it the default before anything opens a database, or name it
/// (``vfsName``). Files elsewhere are untouched, so tests with plans run side by side.
///
/// ```swift
/// let plan = try FaultPlan(for: folder, makesDefault: true)
/// for n in 1... {
///     plan.failNext(.write, after: n - 1, with: 13)  // SQLITE_FULL
///     try? openSaveAndCloseMyCache(in: folder)
///     if plan.faultCount < n { break }               // it made fewer than n writes
///     plan.disarm()
///     #expect(try contentOfMyCache(in: folder) == expected)
/// }
/// ```
///
/// Any thread may use a plan. It ends with the last reference to it; files that are open then work as
/// usual again.
public final class FaultPlan: Sendable {
    /// The name of the VFS, for code that opens databases by itself.
    public static let vfsName = CACHESTORE_FAULT_VFS_NAME

    // The plan in C has a lock of its own, and lives until deinit.
    nonisolated(unsafe) private let plan: OpaquePointer

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - folder: where the files are. Symbolic links are resolved, as SQLite does.
    ///   - seed: decides what is random: the length of a torn write, the bit that flips, what
    ///     survives a power cut.
    ///   - makesDefault: whether databases that are opened without the name of a VFS go through
    ///     this one from now on, in the whole process.
    /// - Throws: ``FaultPlanError`` when the VFS cannot be registered.
    public init(for folder: URL, seed: UInt64 = 0, makesDefault: Bool = false) throws {
        let result = cachestore_register_fault_vfs(makesDefault ? 1 : 0)
        guard result == SQLITE_OK else { throw FaultPlanError(resultCode: result) }
        var path = folder.resolvingSymlinksInPath().path
        if !path.hasSuffix("/") { path += "/" }
        guard let plan = cachestore_fault_plan_create(path, seed) else {
            throw FaultPlanError(resultCode: SQLITE_NOMEM)
        }
        self.plan = plan
    }

    deinit { cachestore_fault_plan_destroy(plan) }

    // MARK: Faults

    /// Lets one operation fail, or all from one on. Replaces what was planned before.
    ///
    /// - Parameters:
    ///   - operation: what fails.
    ///   - count: how many of them succeed first.
    ///   - resultCode: SQLite's result code for it (<https://sqlite.org/rescode.html>); `nil` is the
    ///     usual one.
    ///   - effect: what is done nevertheless.
    ///   - files: which files are meant.
    ///   - forEver: whether all later ones fail as well.
    public func failNext(
        _ operation: FaultOperation, after count: Int = 0, with resultCode: Int32? = nil,
        effect: FaultEffect = .fails, in files: FaultFiles = .all, forEver: Bool = false
    ) {
        precondition(count >= 0, "a number of operations is not negative")
        cachestore_fault_plan_arm(
            plan, operation.value, effect.value, UInt64(count) + 1, forEver ? 1 : 0,
            resultCode ?? operation.usualResultCode, Int32(files.rawValue))
    }

    /// Nothing fails any more. The power stays as it is.
    public func disarm() { cachestore_fault_plan_disarm(plan) }

    /// How many operations there have been, failed ones included.
    public func count(of operation: FaultOperation) -> Int {
        Int(clamping: cachestore_fault_plan_count(plan, operation.value))
    }

    /// How many faults there have been.
    public var faultCount: Int { Int(clamping: cachestore_fault_plan_faults(plan)) }

    // MARK: Power

    /// Remembers from now on what was in the files before each write that is not synced yet, as
    /// ``cutPower()`` needs it. Costs the memory and the reading of it.
    public func remembersUnsyncedWrites(_ remembers: Bool = true) {
        cachestore_fault_plan_remember_unsynced(plan, remembers ? 1 : 0)
    }

    /// Cuts the power. Of each 512 bytes that were written since the last sync of their file, the
    /// old or the new content stays, at random, and of each length the old or the new one.
    ///
    /// Every operation fails from now on. Drop all connections, then call ``restorePower()``, and
    /// open the store again. That files were made, removed or renamed is taken as synced.
    ///
    /// - Throws: ``FaultPlanError`` when a file could not be changed.
    public func cutPower() throws {
        let result = cachestore_fault_plan_cut_power(plan)
        guard result == SQLITE_OK else { throw FaultPlanError(resultCode: result) }
    }

    /// The power is back. Connections that were open when it went stay useless.
    public func restorePower() { cachestore_fault_plan_restore_power(plan) }
}
