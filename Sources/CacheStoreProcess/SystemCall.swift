// SPDX-License-Identifier: MIT

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What calling the system needs everywhere: repeating interrupted calls, and error texts.
enum SystemCall {
    /// Calls until the call is not interrupted by a signal; returns -1 with `errno` on failure.
    static func retryingInterrupts<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result != -1 || errno != EINTR { return result }
        }
    }

    /// Returns the text of an `errno`, from any thread.
    static func describe(_ number: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        // strerror is not safe to call from several threads; the _r form Swift sees is POSIX's.
        guard strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
        let text = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: text, as: UTF8.self) + " (errno \(number))"
    }

    /// Writes bytes at once; returns how many were written, or -1 with `errno` set.
    static func write(_ bytes: [UInt8], to descriptor: Int32, at offset: off_t = 0) -> Int {
        bytes.withUnsafeBytes { buffer in
            retryingInterrupts { pwrite(descriptor, buffer.baseAddress, buffer.count, offset) }
        }
    }

    /// Returns the text of a small file, such as those in `/proc`, or `nil`.
    static func contents(of path: String) -> String? {
        let descriptor = retryingInterrupts { open(path, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = block.withUnsafeMutableBytes { buffer in
                retryingInterrupts { read(descriptor, buffer.baseAddress, buffer.count) }
            }
            guard count > 0 else {
                return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil
            }
            bytes += block[..<count]
        }
    }

    /// Returns the absolute path of what an existing path leads to, or `nil`.
    static func resolvingLinks(in path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Returns the status of what a path leads to, or `nil` with `errno` set.
    static func status(at path: String, followingLinks: Bool = true) -> stat? {
        var status = stat()
        let result = followingLinks ? stat(path, &status) : lstat(path, &status)
        return result == 0 ? status : nil
    }

    /// Returns the status of an open file, or `nil` with `errno` set.
    static func status(of descriptor: Int32) -> stat? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status : nil
    }
}

extension stat {
    /// Whether this is a directory.
    var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }

    /// Whether this is a regular file.
    var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }

    /// Returns whether the two are the same file.
    func isSameFile(as other: stat) -> Bool {
        st_dev == other.st_dev && st_ino == other.st_ino
    }
}
