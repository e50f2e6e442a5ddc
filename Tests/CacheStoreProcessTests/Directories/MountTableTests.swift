// SPDX-License-Identifier: MIT

import CacheStoreProcess
import Testing

@Suite struct MountTableTests {
    private static let table = MountTable(
        parsing: """
            21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
            22 21 0:45 / /mnt/net rw,relatime shared:2 master:3 - nfs4 server:/export rw,vers=4.2
            23 21 0:46 / /mnt/with\\040space ro,nosuid - cifs //server/share rw
            24 21 0:47 / /mnt/ssh rw - fuse.sshfs me@host: rw
            nonsense
            25 21 0:48 / /mnt/short rw
            26 22 0:49 / /mnt/net/local rw - tmpfs tmpfs rw
            """)

    @Test func `lines that make no sense are passed over`() {
        #expect(
            Self.table.mounts.map(\.path) == [
                "/", "/mnt/net", "/mnt/with space", "/mnt/ssh", "/mnt/net/local",
            ])
    }

    @Test(arguments: [
        ("/no/such/place", "ext4"), ("/mnt/net/no/such", "nfs4"), ("/mnt/network", "ext4"),
        ("/mnt/net", "nfs4"), ("/mnt/net/local/x", "tmpfs"), ("/mnt/with space/x", "cifs"),
    ])
    func `the longest mount point decides`(path: String, name: String) {
        #expect(Self.table.fileSystem(at: path).name == name)
    }

    @Test func `a mount for reading only is noticed`() {
        #expect(Self.table.fileSystem(at: "/mnt/with space/no/such").isReadOnly)
        #expect(!Self.table.fileSystem(at: "/mnt/net/no/such").isReadOnly)
    }

    @Test(arguments: [
        "nfs", "nfs4", "cifs", "smb3", "afs", "fuse.sshfs", "fuseblk", "9p", "ceph", "lustre",
    ])
    func `a network file system is known by its name`(name: String) {
        #expect(FileSystemKind(name: name).isNetwork)
    }

    @Test(arguments: ["ext4", "btrfs", "xfs", "tmpfs", "overlay", "zfs", nil])
    func `a local file system is not a network's`(name: String?) {
        #expect(!FileSystemKind(name: name).isNetwork)
    }

    @Test func `the mounts of this machine are read`() {
        let table = MountTable.current
        #expect(table.fileSystem(at: "/proc").name == "proc")
        #expect(!table.fileSystem(at: "/proc").isNetwork)
    }
}
