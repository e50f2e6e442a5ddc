// SPDX-License-Identifier: MIT

import CacheStoreProcess
import Foundation
import Testing

/// Locks between real processes: the body of an exit test runs in a child.
@Suite struct FileLockProcessesTests {
    private let temporary: TemporaryDirectory

    init() throws { temporary = try TemporaryDirectory() }

    @Test func `another process is kept out`() async throws {
        let path = temporary.path(of: "store.lock")
        let lock = try FileLock(path: path)
        #expect(try lock.tryLock(.exclusive))
        await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
            let lock = try FileLock(path: path)
            exit(try lock.tryLock(.shared) ? 4 : 3)
        }
    }

    @Test func `another process shares a shared lock`() async throws {
        let path = temporary.path(of: "store.lock")
        let lock = try FileLock(path: path)
        #expect(try lock.tryLock(.shared))
        await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
            let lock = try FileLock(path: path)
            let (shared, exclusive) = (try lock.tryLock(.shared), try lock.tryLock(.exclusive))
            exit(shared && !exclusive ? 3 : 4)
        }
    }

    @Test func `the lock of a process that was killed is free`() async throws {
        let path = temporary.path(of: "store.lock")
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let lock = try FileLock(path: path)
            if try lock.tryLock(.exclusive) { kill(getpid(), SIGKILL) }
        }
        let lock = try FileLock(path: path)
        #expect(lock.recordedHolder == nil)
        #expect(try lock.tryLock(.exclusive))
    }

    @Test func `a forked child is refused and cannot drop its parent's lock`() async throws {
        let path = temporary.path(of: "store.lock")
        await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
            var lock: FileLock? = try FileLock(path: path)
            guard try lock?.tryLock(.exclusive) == true else { exit(10) }
            let status = try ForkedChild.run {
                do { try lock?.unlock(); return 11 } catch FileLockError.Code.forked {} catch {
                    return 12
                }
                do { _ = try lock?.tryLock(.shared); return 13 } catch FileLockError.Code.forked {
                } catch { return 14 }
                lock = nil
                return 0
            }
            guard status == 0 else { exit(status) }
            // The parent still has it, and its process ID still stands in the file.
            let other = try FileLock(path: path)
            let holder = other.recordedHolder
            exit(try other.tryLock(.shared) || holder != getpid() ? 15 : 3)
        }
    }
}
