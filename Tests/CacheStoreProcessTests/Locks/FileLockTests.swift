// SPDX-License-Identifier: MIT

import CacheStoreProcess
import Foundation
import Testing

@Suite struct FileLockTests {
    private let temporary: TemporaryDirectory
    private var path: String { temporary.path(of: "store.lock") }

    init() throws { temporary = try TemporaryDirectory() }

    @Test func `the lock file is created for this user alone`() throws {
        let lock = try FileLock(path: path)
        #expect(try temporary.mode(of: "store.lock") == 0o600)
        #expect(lock.mode == nil)
    }

    @Test func `two instances in one process exclude each other`() throws {
        let first = try FileLock(path: path)
        let second = try FileLock(path: path)
        #expect(try first.tryLock(.exclusive))
        #expect(try !second.tryLock(.exclusive))
        #expect(try !second.tryLock(.shared))
        #expect(second.mode == nil)
        try first.unlock()
        #expect(try second.tryLock(.exclusive))
    }

    @Test func `shared locks go together and keep an exclusive one out`() throws {
        let (a, b, c) = (
            try FileLock(path: path), try FileLock(path: path), try FileLock(path: path)
        )
        #expect(try a.tryLock(.shared))
        #expect(try b.tryLock(.shared))
        #expect(try !c.tryLock(.exclusive))
    }

    @Test func `an instance that goes away gives its lock back`() throws {
        let other = try FileLock(path: path)
        do {
            let lock = try FileLock(path: path)
            #expect(try lock.tryLock(.exclusive))
            #expect(try !other.tryLock(.exclusive))
        }
        #expect(try other.tryLock(.exclusive))
    }

    @Test(arguments: [FileLock.Mode.exclusive, .shared])
    func `it is given back although a child that is being spawned still has the handle`(
        mode: FileLock.Mode
    ) throws {
        let other = try FileLock(path: path)
        var copies: [Int32] = []
        defer { for copy in copies { close(copy) } }
        do {
            let lock = try FileLock(path: path)
            #expect(try lock.tryLock(mode))
            // As a fork does, until the new program runs.
            for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
                guard let descriptor = Int32(name),
                    let place = try? FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/self/fd/\(name)"), place == path
                else { continue }
                copies.append(dup(descriptor))
            }
            #expect(copies.count >= 2)
        }
        #expect(try other.tryLock(.exclusive))
    }

    @Test func `a directory is locked like a file`() throws {
        let directory = temporary.path(of: "blobs")
        #expect(throws: FileLockError.self) { try FileLock(directory: directory) }
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false)
        let (a, b) = (try FileLock(directory: directory), try FileLock(directory: directory))
        #expect(try a.tryLock(.shared) && b.tryLock(.shared))
        #expect(try !a.tryLock(.exclusive))
        try b.unlock()
        #expect(try a.tryLock(.exclusive))
        #expect(try !b.tryLock(.shared))
        // One that takes its place is another directory, and is locked instead.
        try a.unlock()
        try FileManager.default.removeItem(atPath: directory)
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false)
        #expect(try b.tryLock(.exclusive))
        #expect(try !FileLock(directory: directory).tryLock(.shared))
    }

    @Test func `a file is not locked as a directory`() throws {
        _ = try FileLock(path: path)
        do throws(FileLockError) {
            _ = try FileLock(directory: path)
            Issue.record("a file was locked as a directory")
        } catch {
            #expect(error.code == .notARegularFile)
        }
    }

    @Test func `unlocking without a lock does nothing`() throws {
        try FileLock(path: path).unlock()
    }

    @Test func `a lone shared lock becomes exclusive and shared again`() throws {
        let lock = try FileLock(path: path)
        let other = try FileLock(path: path)
        #expect(try lock.tryLock(.shared))
        #expect(try lock.tryLock(.exclusive))
        #expect(try !other.tryLock(.shared))
        #expect(try lock.tryLock(.shared))
        #expect(lock.mode == .shared)
        #expect(try other.tryLock(.shared))
    }

    @Test func `a failed change to exclusive keeps the shared lock`() throws {
        let lock = try FileLock(path: path)
        let other = try FileLock(path: path)
        let third = try FileLock(path: path)
        #expect(try lock.tryLock(.shared))
        #expect(try other.tryLock(.shared))
        #expect(try !lock.tryLock(.exclusive))
        #expect(lock.mode == .shared)
        try other.unlock()
        #expect(try !third.tryLock(.exclusive))
    }

    @Test func `a wait ends with an error that names the holder`() throws {
        let holder = try FileLock(path: path)
        #expect(try holder.tryLock(.exclusive))
        let elapsed = Box(Duration.zero)
        let clock = WaitingClock(
            now: { elapsed.value },
            sleep: { pause in elapsed.update { $0 += pause } })
        let waiting = try FileLock(path: path)
        let error = #expect(throws: FileLockError.self) {
            try waiting.lock(.exclusive, timeout: .seconds(3), clock: clock)
        }
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("Process \(getpid()) has it") == true)
        #expect(elapsed.value == .seconds(3))
    }

    @Test func `a wait succeeds when the lock becomes free`() throws {
        let holder = try FileLock(path: path)
        #expect(try holder.tryLock(.exclusive))
        let clock = WaitingClock(now: { .zero }, sleep: { _ in try? holder.unlock() })
        let waiting = try FileLock(path: path)
        try waiting.lock(.exclusive, timeout: .seconds(1), clock: clock)
        #expect(waiting.mode == .exclusive)
    }

    @Test func `without time to wait the lock is still tried once`() throws {
        try FileLock(path: path).lock(.exclusive, timeout: .zero)
    }

    @Test func `threads that wait all get their turn`() async throws {
        let path = path
        let counter = Box((inside: 0, total: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let lock = try FileLock(path: path)
                    for _ in 0..<10 {
                        try lock.lock(.exclusive, timeout: .seconds(60))
                        let inside = counter.update { counter in
                            counter.inside += 1
                            counter.total += 1
                            return counter.inside
                        }
                        #expect(inside == 1)
                        counter.update { $0.inside -= 1 }
                        try lock.unlock()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(counter.value.total == 80)
    }

    @Test func `a lock file that was deleted is opened anew`() throws {
        let lock = try FileLock(path: path)
        #expect(unlink(path) == 0)
        #expect(try lock.tryLock(.exclusive))
        let other = try FileLock(path: path)
        #expect(try !other.tryLock(.exclusive))
    }

    @Test func `a lock file that was replaced is opened anew`() throws {
        let lock = try FileLock(path: path)
        #expect(unlink(path) == 0)
        let other = try FileLock(path: path)
        #expect(try other.tryLock(.exclusive))
        #expect(try !lock.tryLock(.exclusive))
        try other.unlock()
        #expect(try lock.tryLock(.exclusive))
    }

    @Test func `a lock held on a deleted file that another now has is lost, and says so`() throws {
        let lock = try FileLock(path: path)
        #expect(try lock.tryLock(.shared))
        #expect(unlink(path) == 0)
        let other = try FileLock(path: path)
        #expect(try other.tryLock(.exclusive))
        #expect { try lock.tryLock(.shared) } throws: { FileLockError.Code.lockLost ~= $0 }
        #expect(lock.mode == nil)
    }

    @Test func `an exclusive holder is recorded, and no longer after unlocking`() throws {
        let lock = try FileLock(path: path)
        #expect(try lock.tryLock(.exclusive))
        #expect(try temporary.text(of: "store.lock") == "\(getpid())\n")
        #expect(lock.recordedHolder == getpid())
        try lock.unlock()
        #expect(try temporary.text(of: "store.lock").isEmpty)
        #expect(lock.recordedHolder == nil)
    }

    @Test(arguments: ["", "garbage", "-1", "99999999999999999999", "0"])
    func `what others wrote into the file does no harm`(text: String) throws {
        try temporary.write(text, to: "store.lock")
        let lock = try FileLock(path: path)
        #expect(lock.recordedHolder == nil)
        #expect(try lock.tryLock(.exclusive))
    }

    @Test func `recording can be left out`() throws {
        let lock = try FileLock(path: path, recordsHolder: false)
        #expect(try lock.tryLock(.exclusive))
        #expect(try temporary.text(of: "store.lock").isEmpty)
    }

    @Test func `a symbolic link is refused`() throws {
        try temporary.write("precious", to: "target")
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: temporary.path(of: "target"))
        #expect { try FileLock(path: path) } throws: {
            FileLockError.Code.notARegularFile ~= $0
        }
        #expect(try temporary.text(of: "target") == "precious")
    }

    @Test func `a directory and a pipe are refused`() throws {
        #expect { try FileLock(path: temporary.path) } throws: {
            FileLockError.Code.notARegularFile ~= $0
        }
        #expect(mkfifo(path, 0o600) == 0)
        #expect { try FileLock(path: path) } throws: {
            FileLockError.Code.notARegularFile ~= $0
        }
    }

    @Test func `a missing directory keeps its errno`() {
        let error = #expect(throws: FileLockError.self) {
            try FileLock(path: temporary.path(of: "missing/store.lock"))
        }
        #expect(error?.code == .system)
        #expect(error?.systemErrorNumber == ENOENT)
    }
}
