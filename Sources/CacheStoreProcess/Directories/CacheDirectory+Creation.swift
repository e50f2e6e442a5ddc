// SPDX-License-Identifier: MIT

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension CacheDirectory {
    /// Creates a directory and every missing directory above it, for this user alone.
    ///
    /// What exists keeps its mode. Several processes may do this at once.
    ///
    /// - Throws: ``DirectoryError`` with the code `notWritable`, `notADirectory`,
    ///   `readOnlyFileSystem`, `noSpace` or `system`.
    package static func create(at path: String) throws(DirectoryError) {
        // Look before making: making fails on directories that exist but may not be written.
        if let status = SystemCall.status(at: path) {
            if status.isDirectory { return }
            throw inTheWay(path)
        }
        guard errno == ENOENT else {
            throw DirectoryError(systemErrorNumber: errno, doing: "look at", at: path)
        }
        if let parent = parent(of: path) { try create(at: parent) }
        if mkdir(path, 0o700) == 0 { return }
        let number = errno
        guard number == EEXIST else {
            throw DirectoryError(systemErrorNumber: number, doing: "create", at: path)
        }
        // Another process was faster, or a symbolic link leads nowhere.
        guard SystemCall.status(at: path)?.isDirectory == true else { throw inTheWay(path) }
    }

    /// Checks that files can be created in a directory, without creating one.
    ///
    /// - Throws: ``DirectoryError`` with the code `notWritable`, `notADirectory`,
    ///   `readOnlyFileSystem` or `system`.
    package static func checkWritable(_ path: String) throws(DirectoryError) {
        guard let status = SystemCall.status(at: path) else {
            throw DirectoryError(systemErrorNumber: errno, doing: "look at", at: path)
        }
        guard status.isDirectory else { throw inTheWay(path) }
        guard faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0 else {
            throw DirectoryError(systemErrorNumber: errno, doing: "write to", at: path)
        }
    }

    private static func inTheWay(_ path: String) -> DirectoryError {
        DirectoryError(.notADirectory, "\(path) exists and is not a directory.", path: path)
    }

    static func parent(of path: String) -> String? {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let parent = path[..<slash]
        // Nothing is left above the root, where creating ends in any case: it exists.
        return parent.isEmpty ? nil : String(parent)
    }
}
