// SPDX-License-Identifier: MIT

/// What matters here about the file system that a directory lies on.
package struct FileSystemKind: Sendable, Hashable {
    /// The name of the file system as the kernel has it (`ext4`, `nfs4`, `fuse.sshfs`), or `nil`
    /// where the mount table cannot be read.
    package let name: String?
    /// Whether nothing can be written.
    package let isReadOnly: Bool

    package init(name: String?, isReadOnly: Bool = false) {
        self.name = name
        self.isReadOnly = isReadOnly
    }

    /// Whether the files may lie on another machine, or behind a program that passes them on.
    ///
    /// There, memory shared between processes is not to be relied on, which SQLite's write-ahead
    /// log needs: https://www.sqlite.org/wal.html#noshm. All of FUSE counts, for it is not known
    /// what stands behind it.
    package var isNetwork: Bool {
        guard let name else { return false }
        return Self.networkPrefixes.contains { name.hasPrefix($0) }
    }

    private static let networkPrefixes = [
        "nfs", "cifs", "smb", "afs", "fuse", "9p", "ceph", "lustre", "coda", "ncp", "virtiofs",
        "vboxsf", "vmhgfs", "prl_fs", "gfs", "ocfs2", "gpfs", "beegfs", "glusterfs", "orangefs",
        "pvfs2", "webdav", "davfs",
    ]
}
