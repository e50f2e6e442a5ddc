// SPDX-License-Identifier: MIT

import CacheStoreProcess
import Foundation
import Testing

@Suite struct CacheDirectoryCreationTests {
    private let temporary: TemporaryDirectory

    init() throws { temporary = try TemporaryDirectory() }

    @Test func `missing directories are created for this user alone`() throws {
        try CacheDirectory.create(at: temporary.path(of: "a/b/c"))
        #expect(try temporary.mode(of: "a") == 0o700)
        #expect(try temporary.mode(of: "a/b") == 0o700)
        #expect(try temporary.mode(of: "a/b/c") == 0o700)
    }

    @Test func `an existing directory keeps its mode`() throws {
        let path = temporary.path(of: "a")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        try CacheDirectory.create(at: temporary.path(of: "a/b"))
        #expect(try temporary.mode(of: "a") == 0o755)
    }

    @Test func `a symbolic link to a directory counts as one`() throws {
        try CacheDirectory.create(at: temporary.path(of: "real"))
        try FileManager.default.createSymbolicLink(
            atPath: temporary.path(of: "link"), withDestinationPath: "real")
        try CacheDirectory.create(at: temporary.path(of: "link/inside"))
        #expect(FileManager.default.fileExists(atPath: temporary.path(of: "real/inside")))
    }

    @Test func `a file in the way is not a directory`() throws {
        try temporary.write("x", to: "file")
        for name in ["file", "file/below"] {
            #expect { try CacheDirectory.create(at: temporary.path(of: name)) } throws: {
                DirectoryError.Code.notADirectory ~= $0
            }
        }
    }

    @Test func `a symbolic link that leads nowhere is not a directory`() throws {
        try FileManager.default.createSymbolicLink(
            atPath: temporary.path(of: "link"), withDestinationPath: "missing")
        #expect { try CacheDirectory.create(at: temporary.path(of: "link")) } throws: {
            DirectoryError.Code.notADirectory ~= $0
        }
    }

    @Test func `many threads may create the same directories at once`() async throws {
        let path = temporary.path(of: "x/y/z")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 { group.addTask { try CacheDirectory.create(at: path) } }
            try await group.waitForAll()
        }
        #expect(try temporary.mode(of: "x/y/z") == 0o700)
    }

    @Test func `a name that is too long for the system keeps its errno`() throws {
        let name = String(repeating: "x", count: 300)
        let error = #expect(throws: DirectoryError.self) {
            try CacheDirectory.create(at: temporary.path(of: name))
        }
        #expect(error?.code == .system)
        #expect(error?.systemErrorNumber == ENAMETOOLONG)
    }

    @Test func `a directory of this user is writable`() throws {
        try CacheDirectory.checkWritable(temporary.path)
    }

    @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
    func `a directory without write permission is not writable`() throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o500], ofItemAtPath: temporary.path)
        defer {
            try? FileManager.default.setAttributes(
                [.posixPermissions: 0o700], ofItemAtPath: temporary.path)
        }
        #expect { try CacheDirectory.checkWritable(temporary.path) } throws: {
            DirectoryError.Code.notWritable ~= $0
        }
        #expect { try CacheDirectory.create(at: temporary.path(of: "a")) } throws: {
            DirectoryError.Code.notWritable ~= $0
        }
    }

    @Test(
        .enabled(if: MountTable.current.fileSystem(at: "/sys").isReadOnly, "needs a read-only /sys")
    )
    func `a read-only file system is told from missing permission`() throws {
        #expect { try CacheDirectory.checkWritable("/sys") } throws: {
            DirectoryError.Code.readOnlyFileSystem ~= $0
        }
    }

    @Test(arguments: [
        (EACCES, DirectoryError.Code.notWritable), (EPERM, .notWritable),
        (EROFS, .readOnlyFileSystem),
        (ENOSPC, .noSpace), (EDQUOT, .noSpace), (ENOTDIR, .notADirectory), (EIO, .system),
    ])
    func `each errno has its code`(number: Int32, code: DirectoryError.Code) {
        let error = DirectoryError(systemErrorNumber: number, doing: "create", at: "/x")
        #expect(error.code == code)
        #expect(error.systemErrorNumber == number)
        #expect(error.path == "/x")
    }
}
