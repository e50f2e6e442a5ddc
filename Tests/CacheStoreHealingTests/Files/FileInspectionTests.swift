// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreHealing

@Suite struct FileInspectionTests {
    private func inspect(_ store: TemporaryStore) throws -> FileInspection {
        try FileInspection(of: store.paths, readsContent: true)
    }

    @Test func `a store is told by its header alone`() throws {
        let store = try TemporaryStore()
        try store.fill()
        let found = try inspect(store)
        #expect(found.content == .ours)
        let header = try #require(found.header)
        #expect(header.pageSize == StoreFormat.pageSize)
        #expect(header.reservedBytes == StoreFormat.reservedBytes)
        #expect(header.writeVersion == 2)
        #expect(header.userVersion == StoreMeta.formatVersion)
        #expect(!found.hasHotLog)
        #expect(found.size == Int64(try #require(store.contents()).count))
    }

    @Test func `a file that this process has open is not opened again`() throws {
        let store = try TemporaryStore()
        let file = try store.openFile()
        #expect(try inspect(store).content == .unknown)
        try file.close()
        #expect(try inspect(store).content == .ours)
    }

    @Test func `a hot journal leaves the question to SQLite`() throws {
        let store = try TemporaryStore()
        try store.write("garbage, but perhaps half of a commit".utf8)
        #expect(try inspect(store).content == .notADatabase)
        try store.write("a journal".utf8, to: store.paths.journal)
        #expect(try inspect(store).content == .unknown)
    }

    @Test(arguments: [
        (16, UInt8(0x11)), (18, 3), (19, 0), (0, 0x20),
    ])
    func `a header that cannot be is none`(offset: Int, byte: UInt8) throws {
        let store = try TemporaryStore()
        try store.fill()
        try store.overwrite(at: offset, with: [byte])
        #expect(try inspect(store).content == .notADatabase)
    }

    @Test(.enabled(if: isRoot, "giving a file to another user needs root's rights"))
    func `a log of another user is refused`() async throws {
        let store = try TemporaryStore()
        try store.fill()
        try store.write("log".utf8, to: store.paths.log)
        await #expect(processExitsWith: .success) { [directory = store.directory as String] in
            // The log stays root's, which is trusted; then it is given to a third user.
            let paths = StorePaths(main: directory + "/notes.sqlite")
            #expect(chown(paths.log, 1234, 1234) == 0)
            #expect(chmod(directory, 0o755) == 0)
            #expect(setgid(65_534) == 0 && setuid(65_534) == 0)
            #expect { try FileInspection(of: paths, readsContent: false) } throws: {
                PersistentStoreError.Code.permissionDenied ~= $0
            }
        }
    }
}
