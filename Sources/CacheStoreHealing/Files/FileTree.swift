// SPDX-License-Identifier: MIT

import Foundation

/// System calls on paths.
enum FileTree {
    static func status(at path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    /// The size of a regular file; `nil` where there is none.
    static func size(at path: String) -> Int64? {
        status(at: path)?.fileSize
    }

    /// The size of a regular file, `nil` where there is certainly none.
    static func sizeIfThere(at path: String) throws(FileSystemError) -> Int64? {
        try statusIfThere(at: path)?.fileSize
    }

    /// What is at a path, `nil` where there is certainly nothing: what cannot be looked at is not
    /// taken for missing.
    static func statusIfThere(at path: String) throws(FileSystemError) -> stat? {
        if let status = status(at: path) { return status }
        if errno == ENOENT || errno == ENOTDIR { return nil }
        throw FileSystemError("look at", path)
    }

    /// Deletes a file; a missing one is fine.
    static func remove(_ path: String) throws(FileSystemError) {
        if unlink(path) != 0 && errno != ENOENT { throw FileSystemError("delete", path) }
    }

    /// Gives a file another name in one step, over what had it.
    static func rename(_ source: String, to target: String) throws(FileSystemError) {
        if Foundation.rename(source, target) != 0 { throw FileSystemError("rename", source) }
    }

    /// Deletes a directory with all it has; a missing one is fine.
    static func removeDirectory(_ path: String) throws(FileSystemError) {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            if access(path, F_OK) == 0 { throw FileSystemError("delete", path, number: EIO) }
        }
    }

    static func makeDirectory(_ path: String) throws(FileSystemError) {
        if mkdir(path, 0o700) != 0 && errno != EEXIST { throw FileSystemError("create", path) }
    }

    /// Makes the content of a file survive a power failure.
    static func synchronize(_ path: String) throws(FileSystemError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileSystemError("open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FileSystemError("sync", path) }
    }

    /// Makes the names in a directory survive a power failure. Best effort: some file systems
    /// refuse to sync directories.
    static func synchronizeDirectory(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// The names in a directory, sorted; none where it cannot be read.
    static func names(in directory: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }

    /// Copies a file and syncs the copy.
    static func copy(_ source: String, to target: String) throws(FileSystemError) {
        let input = try RawFile(reading: source)
        let output = try RawFile(creating: target)
        var offset: Int64 = 0
        while true {
            let bytes = try input.read(count: 1 << 20, at: offset)
            if bytes.isEmpty { break }
            try output.append(bytes)
            offset += Int64(bytes.count)
        }
        try output.synchronize()
    }
}

extension stat {
    var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
    var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
    /// The size of a regular file, else `nil`.
    var fileSize: Int64? { isRegularFile ? Int64(st_size) : nil }
}
