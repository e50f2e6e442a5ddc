// SPDX-License-Identifier: MIT

import Foundation

/// A file read or written by system calls, without SQLite.
///
/// Closing *any* handle on a file gives back the process's POSIX locks on it, SQLite's too
/// (https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_),
/// so the handle on a database that is open is left to ``OpenFileRegistry``. Never the `-shm` file of
/// such a database, which has locks as well.
final class RawFile {
    let path: String
    let descriptor: Int32

    init(reading path: String) throws(FileSystemError) {
        self.path = path
        // O_NONBLOCK: a pipe at the path must not make this wait.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw FileSystemError("open", path) }
    }

    init(updating path: String) throws(FileSystemError) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw FileSystemError("open", path) }
    }

    init(creating path: String) throws(FileSystemError) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileSystemError("create", path) }
    }

    deinit { OpenFileRegistry.shared.close(descriptor) }

    /// Reads up to a number of bytes; fewer only at the end of the file. What the disk does not give is
    /// asked for once more: a salvage would give up what is there.
    func read(count: Int, at offset: Int64 = 0) throws(FileSystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        var mayAskAgain = true
        while filled < count {
            let result = bytes.withUnsafeMutableBytes { buffer in
                pread(
                    descriptor, buffer.baseAddress?.advanced(by: filled), count - filled,
                    off_t(offset) + filled)
            }
            if result < 0 && errno == EINTR { continue }
            if result < 0 && errno == EIO && mayAskAgain {
                mayAskAgain = false
                continue
            }
            guard result >= 0 else { throw FileSystemError("read", path) }
            if result == 0 { break }
            filled += result
        }
        bytes.removeLast(count - filled)
        return bytes
    }

    /// Whether the disk does not give all of a file that is there.
    static func isWithheld(_ path: String) -> Bool {
        do throws(FileSystemError) {
            let file = try RawFile(reading: path)
            var offset: Int64 = 0
            while true {
                let count = try file.read(count: 1 << 20, at: offset).count
                if count == 0 { return false }
                offset += Int64(count)
            }
        } catch {
            return error.number == EIO
        }
    }

    /// Writes bytes over what is at a place.
    func write(_ bytes: [UInt8], at offset: Int64) throws(FileSystemError) {
        var done = 0
        while done < bytes.count {
            let result = bytes.withUnsafeBytes { buffer in
                pwrite(
                    descriptor, buffer.baseAddress?.advanced(by: done), bytes.count - done,
                    off_t(offset) + done)
            }
            if result < 0 && errno == EINTR { continue }
            guard result > 0 else { throw FileSystemError("write", path) }
            done += result
        }
    }

    /// Writes bytes at the end of what was written.
    func append(_ bytes: [UInt8]) throws(FileSystemError) {
        var done = 0
        while done < bytes.count {
            let result = bytes.withUnsafeBytes { buffer in
                Foundation.write(
                    descriptor, buffer.baseAddress?.advanced(by: done), bytes.count - done)
            }
            if result < 0 && errno == EINTR { continue }
            guard result > 0 else { throw FileSystemError("write", path) }
            done += result
        }
    }

    func synchronize() throws(FileSystemError) {
        guard fsync(descriptor) == 0 else { throw FileSystemError("sync", path) }
    }
}
