// SPDX-License-Identifier: MIT

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The `CACHEDIR.TAG` file, by which backup programs know a directory that needs no backup.
///
/// See the Cache Directory Tagging Specification, https://bford.info/cachedir/: a regular file, not
/// a symbolic link, whose first 43 bytes are the signature.
package enum CacheDirectoryTag {
    /// The name of the file.
    package static let fileName = "CACHEDIR.TAG"
    /// The first 43 bytes of the file.
    package static let signature = "Signature: 8a477f597d28d172789f06886806bc55"

    private static let text = """
        \(signature)
        # This file marks a cache directory: all that is in it can be made anew.
        # Backup programs may leave the directory out; see https://bford.info/cachedir/.

        """

    /// What writing the tag came to.
    package enum Outcome: Sendable, Hashable {
        /// The tag has been written.
        case written
        /// The directory has been tagged before.
        case alreadyTagged
        /// Something else has the name of the tag; it has been left alone.
        case occupied
    }

    /// Writes the tag, unless something with its name exists.
    ///
    /// - Throws: ``DirectoryError`` with the code `notWritable`, `notADirectory`,
    ///   `readOnlyFileSystem`, `noSpace` or `system`. A cache works without its tag.
    @discardableResult
    package static func write(in directory: String) throws(DirectoryError) -> Outcome {
        let path = directory + "/" + fileName
        // O_EXCL neither overwrites nor follows a symbolic link.
        let descriptor = SystemCall.retryingInterrupts {
            open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        }
        guard descriptor >= 0 else {
            if errno == EEXIST { return isTag(path) ? .alreadyTagged : .occupied }
            throw DirectoryError(systemErrorNumber: errno, doing: "create", at: path)
        }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        let written = SystemCall.write(bytes, to: descriptor)
        guard written == bytes.count else {
            let number = written < 0 ? errno : ENOSPC
            unlink(path)
            throw DirectoryError(systemErrorNumber: number, doing: "write", at: path)
        }
        return .written
    }

    /// Returns whether a regular file with the signature is at the path.
    private static func isTag(_ path: String) -> Bool {
        let descriptor = SystemCall.retryingInterrupts {
            open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        }
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard SystemCall.status(of: descriptor)?.isRegularFile == true else { return false }
        var bytes = [UInt8](repeating: 0, count: signature.utf8.count)
        let count = bytes.withUnsafeMutableBytes { buffer in
            SystemCall.retryingInterrupts { read(descriptor, buffer.baseAddress, buffer.count) }
        }
        return count == bytes.count && bytes.elementsEqual(signature.utf8)
    }
}
