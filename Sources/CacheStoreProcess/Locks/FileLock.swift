// SPDX-License-Identifier: MIT

#if canImport(Darwin)
    package import Darwin
#elseif canImport(Glibc)
    package import Glibc
#elseif canImport(Musl)
    package import Musl
#endif
import Synchronization

/// A lock between processes, on a file of its own, by `flock`.
///
/// The kernel gives the lock back when its holder dies, however it dies. The lock belongs to the
/// open file, so two instances exclude each other also within one process; one instance is used by
/// one owner at a time, for a second `tryLock` on it changes the mode of the lock it has.
///
/// - A change of mode is **not atomic**: `flock` gives the old lock back before it takes the new
///   one, and another process may have had the lock in between. Whoever changes from shared to
///   exclusive must look again at what the lock protects.
/// - The file may be deleted by others at any time (cleaners do). The lock is taken only on the
///   file that is at the path afterwards; a lock that is *held* on a deleted file excludes nobody.
/// - A forked child shares its parent's lock. It is refused, and what it drops stays locked.
/// - On NFS the kernel makes `flock` a lock of the whole process: instances of one process do not
///   exclude each other there.
package final class FileLock: Sendable {
    /// How a lock is shared.
    package enum Mode: Sendable, Hashable {
        /// Any number of holders, all of them shared.
        case shared
        /// One holder.
        case exclusive
    }

    private struct State {
        var descriptor: Int32
        var mode: Mode?
    }

    /// The path of the lock file.
    package let path: String
    private let recordsHolder: Bool
    private let isOfDirectory: Bool
    private let forkGuard = ForkGuard()
    private let state: Mutex<State>

    /// Opens the lock file, and creates it (for this user alone) where it is missing; locks nothing.
    ///
    /// - Parameter recordsHolder: whether an exclusive holder writes its process ID into the file,
    ///   for a person who asks who has the lock. Costs two system calls for each lock.
    /// - Throws: ``FileLockError`` with the code `notARegularFile`, `notWritable`,
    ///   `readOnlyFileSystem`, `noSpace` or `system`.
    package init(path: String, recordsHolder: Bool = true) throws(FileLockError) {
        self.path = path
        self.recordsHolder = recordsHolder
        isOfDirectory = false
        state = Mutex(State(descriptor: try Self.openFile(path), mode: nil))
    }

    /// Opens a directory that is itself what is locked: no file of its own is needed.
    ///
    /// - Throws: ``FileLockError`` with the code `notARegularFile` for what is no directory,
    ///   `notWritable` or `system`; the latter also where there is none.
    package init(directory path: String) throws(FileLockError) {
        self.path = path
        recordsHolder = false
        isOfDirectory = true
        state = Mutex(State(descriptor: try Self.openDirectory(path), mode: nil))
    }

    deinit {
        state.withLock { state in
            // In a forked child only the copy of the handle is closed: the parent keeps its lock.
            if let mode = state.mode, !forkGuard.isForked {
                if mode == .exclusive { eraseHolder(state.descriptor) }
                // A child that is just being spawned has a copy of the handle until it runs another
                // program, and a lock goes away with its last handle: flock(2).
                flock(state.descriptor, LOCK_UN)
            }
            close(state.descriptor)
        }
    }

    /// The mode of the lock that this instance has; `nil` when it has none.
    package var mode: Mode? { state.withLock { $0.mode } }

    /// Takes the lock, or changes its mode, without waiting; returns whether that succeeded.
    ///
    /// When a change from shared to exclusive does not succeed, the shared lock is taken again.
    ///
    /// - Throws: ``FileLockError`` with the code `lockLost` when it could not be taken again (this
    ///   instance then has no lock), `forked`, `unsupported`, or a code of ``init(path:recordsHolder:)``.
    package func tryLock(_ mode: Mode) throws(FileLockError) -> Bool {
        try refuseForkedChild()
        let result: Result<Bool, FileLockError> = state.withLock { state in
            do throws(FileLockError) {
                return .success(try tryLock(mode, &state))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Gives the lock back; does nothing without one.
    ///
    /// - Throws: ``FileLockError`` with the code `forked` or `system`.
    package func unlock() throws(FileLockError) {
        try refuseForkedChild()
        let number: Int32 = state.withLock { state in
            guard let mode = state.mode else { return 0 }
            if mode == .exclusive { eraseHolder(state.descriptor) }
            state.mode = nil
            let result = SystemCall.retryingInterrupts { flock(state.descriptor, LOCK_UN) }
            return result == 0 ? 0 : errno
        }
        guard number == 0 else {
            throw FileLockError(systemErrorNumber: number, doing: "unlock", at: path)
        }
    }

    /// The process that wrote itself into the file as the exclusive holder, if it still runs.
    ///
    /// For messages only: it is not part of the lock, and other containers count differently.
    package var recordedHolder: pid_t? {
        guard let text = SystemCall.contents(of: path),
            let holder = pid_t(text.prefix { $0.isNumber }), holder > 0,
            kill(holder, 0) == 0 || errno == EPERM
        else { return nil }
        return holder
    }

    private func refuseForkedChild() throws(FileLockError) {
        guard forkGuard.isForked else { return }
        throw FileLockError(
            .forked, "The lock \(path) belongs to the parent of this process.", path: path)
    }
}

extension FileLock {
    /// How often the file may be replaced during one attempt before the attempt counts as failed.
    private static let replacementLimit = 16

    private func tryLock(_ mode: Mode, _ state: inout State) throws(FileLockError) -> Bool {
        let original = state.mode
        for _ in 0..<Self.replacementLimit {
            if state.mode == mode, isCurrent(state.descriptor) { return true }
            if state.mode == .exclusive { eraseHolder(state.descriptor) }
            // The kernel drops the lock of this file before it tries for the other mode.
            let dropped = state.mode
            state.mode = nil
            guard try apply(mode, to: state.descriptor) else {
                guard original != nil else { return false }
                if let dropped, try apply(dropped, to: state.descriptor) {
                    state.mode = dropped
                    return false
                }
                throw FileLockError(
                    .lockLost, "Another process took the lock \(path) during a change of mode.",
                    path: path)
            }
            state.mode = mode
            if isCurrent(state.descriptor) {
                if mode == .exclusive { recordHolder(state.descriptor) }
                return true
            }
            // The file was deleted or replaced: others lock the new one.
            let replacement =
                isOfDirectory ? try Self.openDirectory(path) : try Self.openFile(path)
            close(state.descriptor)
            state = State(descriptor: replacement, mode: nil)
        }
        return false
    }

    private func apply(_ mode: Mode, to descriptor: Int32) throws(FileLockError) -> Bool {
        let operation = mode == .shared ? LOCK_SH : LOCK_EX
        let result = SystemCall.retryingInterrupts { flock(descriptor, operation | LOCK_NB) }
        if result == 0 { return true }
        if errno == EWOULDBLOCK { return false }
        throw FileLockError(systemErrorNumber: errno, doing: "lock", at: path)
    }

    private func isCurrent(_ descriptor: Int32) -> Bool {
        guard let mine = SystemCall.status(of: descriptor),
            let there = SystemCall.status(at: path, followingLinks: isOfDirectory)
        else { return false }
        return mine.isSameFile(as: there)
    }

    private func recordHolder(_ descriptor: Int32) {
        guard recordsHolder else { return }
        // Best effort: a full disk must not cost the lock.
        ftruncate(descriptor, 0)
        _ = SystemCall.write(Array("\(getpid())\n".utf8), to: descriptor)
    }

    private func eraseHolder(_ descriptor: Int32) {
        if recordsHolder { ftruncate(descriptor, 0) }
    }

    private static func openDirectory(_ path: String) throws(FileLockError) -> Int32 {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        let descriptor = SystemCall.retryingInterrupts { open(path, flags) }
        guard descriptor >= 0 else {
            let number = errno == ENOTDIR ? EISDIR : errno
            throw FileLockError(systemErrorNumber: number, doing: "open", at: path)
        }
        return descriptor
    }

    private static func openFile(_ path: String) throws(FileLockError) -> Int32 {
        // O_NONBLOCK: a pipe or a device at the path must not make this wait.
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let descriptor = SystemCall.retryingInterrupts { open(path, flags, 0o600) }
        guard descriptor >= 0 else {
            throw FileLockError(systemErrorNumber: errno, doing: "open", at: path)
        }
        guard SystemCall.status(of: descriptor)?.isRegularFile == true else {
            close(descriptor)
            throw FileLockError(
                .notARegularFile, "The lock file \(path) is not a regular file.", path: path)
        }
        return descriptor
    }
}
