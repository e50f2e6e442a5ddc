// SPDX-License-Identifier: MIT

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The mounted file systems, read from `/proc/self/mountinfo`.
///
/// The table tells more than `statfs`: for FUSE it names the program behind the mount.
package struct MountTable: Sendable {
    /// One mounted file system.
    package struct Mount: Sendable, Hashable {
        /// Where it is mounted.
        package let path: String
        /// What it is, and whether it can be written.
        package let fileSystem: FileSystemKind
    }

    /// The mounts in the order of the table; a later one hides an earlier one at the same path.
    package let mounts: [Mount]

    /// Creates a table from the text of `mountinfo`; lines that make no sense are passed over.
    package init(parsing text: String) {
        mounts = text.split(separator: "\n").compactMap(Self.mount(in:))
    }

    /// The file systems this process sees; empty where the kernel does not tell.
    package static var current: MountTable {
        MountTable(parsing: SystemCall.contents(of: "/proc/self/mountinfo") ?? "")
    }

    /// Returns the file system that an existing path lies on; symbolic links are followed.
    package func fileSystem(at path: String) -> FileSystemKind {
        let resolved = SystemCall.resolvingLinks(in: path) ?? path
        var best: Mount?
        for mount in mounts where Self.contains(mount.path, resolved) {
            if mount.path.utf8.count >= best?.path.utf8.count ?? 0 { best = mount }
        }
        let name = best?.fileSystem.name
        // One file system may be writable at one mount and not at another; the path decides.
        var status = statvfs()
        guard statvfs(path, &status) == 0 else {
            return best?.fileSystem ?? FileSystemKind(name: name)
        }
        return FileSystemKind(name: name, isReadOnly: status.f_flag & UInt(ST_RDONLY) != 0)
    }

    /// Whether a path lies on a block device of this machine, so that the table need not be read to
    /// know that it is not on a network. One system call.
    ///
    /// File systems without a device (network, FUSE, memory, overlay) have device numbers with the
    /// major number 0.
    package static func isOnBlockDevice(_ path: String) -> Bool {
        #if canImport(Darwin)
            return false
        #else
            var status = stat()
            guard stat(path, &status) == 0 else { return false }
            let device = UInt64(status.st_dev)
            return (device >> 8 & 0xfff) | (device >> 32 & 0xffff_f000) != 0
        #endif
    }

    private static func contains(_ mountPath: String, _ path: String) -> Bool {
        if mountPath == "/" || mountPath == path { return true }
        return path.utf8.starts(with: mountPath.utf8 + [UInt8(ascii: "/")])
    }

    /// Reads a line: `36 35 98:0 /root /mount/point rw,noatime [optional …] - ext4 source options`.
    private static func mount(in line: Substring) -> Mount? {
        let fields = line.split(separator: " ")
        guard fields.count > 6, let separator = fields[6...].firstIndex(of: "-"),
            fields.indices.contains(separator + 1)
        else { return nil }
        let options = fields[5].split(separator: ",")
        return Mount(
            path: unescaped(fields[4]),
            fileSystem: FileSystemKind(
                name: String(fields[separator + 1]), isReadOnly: options.contains("ro")))
    }

    /// Undoes the kernel's octal escapes of space, tab, newline and backslash.
    private static func unescaped(_ field: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = field.utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3,
                let text = String(digits), let value = UInt8(text, radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
