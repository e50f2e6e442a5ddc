// SPDX-License-Identifier: MIT

import CacheStoreHealing
import CacheStoreProcess
import Foundation

extension ExternalFiles {
    /// What is in the directory.
    struct Listing {
        var names: Set<UUID> = []
        /// Files that were never finished.
        var unfinished: [UUID] = []
    }

    /// Locks the directory: shared for a save that adds or drops files, from before the first until
    /// after the transaction, so that whoever has it exclusively finds only files that a row names,
    /// or that no row ever will.
    ///
    /// - Returns: `nil` where there is no directory, or no locks of directories (NFS has none).
    /// - Throws: ``PersistentStoreError`` with the code `busy`.
    func lock(_ mode: FileLock.Mode) throws -> FileLock? {
        do throws(FileLockError) {
            let lock = try FileLock(directory: directory.path)
            try lock.lock(mode, timeout: busyTimeout)
            return lock
        } catch {
            guard error.code == .timedOut || error.code == .forked else { return nil }
            throw PersistentStoreError(lock: error, path: directory.path)
        }
    }

    // A mark lies in the directory while a save may leave files behind: a process that dies in such a
    // save leaves it, and the next opening knows that it is worth looking.

    private var mark: String { directory.path + "/.saving" }

    var isMarked: Bool { access(mark, F_OK) == 0 }

    /// Best effort: without it, files that are left behind stay until the graph is verified.
    func setMark() {
        let descriptor = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Takes the mark away at the end of a save, unless others are saving: then the last of them does.
    func removeMark(_ lock: FileLock?) {
        guard let lock, isMarked, (try? lock.tryLock(.exclusive)) == true else { return }
        unlink(mark)
    }

    /// Lists the directory. What has not the name of a file of ours is left out.
    ///
    /// - Throws: ``PersistentStoreError`` with the code `unavailable` where it cannot be read to its
    ///   end: what is not listed would count as missing.
    func list() throws -> Listing {
        guard let stream = opendir(directory.path) else {
            if errno == ENOENT { return Listing() }
            throw unreadable
        }
        defer { closedir(stream) }
        var listing = Listing()
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno == 0 { return listing }
                throw unreadable
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let uuid = UUID(uuidString: name) {
                listing.names.insert(uuid)
            } else if name.hasSuffix(".tmp"), let uuid = UUID(uuidString: String(name.dropLast(4)))
            {
                listing.unfinished.append(uuid)
            }
        }
    }

    private var unreadable: PersistentStoreError {
        PersistentStoreError(
            .unavailable, "The directory of large values cannot be read.", path: directory.path)
    }

    func removeUnfinished(_ name: UUID) { unlink(url(of: name).path + ".tmp") }

    /// Reads a file through, and returns whether it is what was written; `true` for one that cannot be
    /// opened or read, which says nothing about its content.
    func isIntact(_ reference: EncodedValue.ExternalReference) -> Bool {
        let descriptor = open(url(of: reference.name).path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        var checksum: UInt32 = 0
        var offset = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = buffer.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
            }
            if count < 0 && errno == EINTR { continue }
            if count < 0 { return true }
            offset += count
            if count == 0 { return checksum == reference.checksum }
            checksum = buffer.withUnsafeBytes {
                Deflate.checksum(UnsafeRawBufferPointer(rebasing: $0[..<count]), after: checksum)
            }
        }
    }
}
