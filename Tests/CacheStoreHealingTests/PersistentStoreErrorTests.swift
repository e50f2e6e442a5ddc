// SPDX-License-Identifier: MIT

import CacheStoreProcess
import CacheStoreSQLite
import Foundation
import Testing

@testable import CacheStoreHealing

@Suite struct PersistentStoreErrorTests {
    @Test(arguments: [
        (SQLiteError.ResultCode.SQLITE_CORRUPT, Int32(0), PersistentStoreError.Code.damaged),
        (.SQLITE_NOTADB, 0, .damaged), (.SQLITE_IOERR_SHORT_READ, 0, .damaged),
        (.SQLITE_BUSY, 0, .busy), (.SQLITE_LOCKED, 0, .busy), (.SQLITE_PROTOCOL, 0, .busy),
        (.SQLITE_FULL, 0, .noSpace), (.SQLITE_IOERR_WRITE, ENOSPC, .noSpace),
        (.SQLITE_IOERR_WRITE, EIO, .unavailable), (.SQLITE_IOERR_FSYNC, EIO, .unavailable),
        (.SQLITE_NOMEM, 0, .outOfResources), (.SQLITE_CANTOPEN, EMFILE, .outOfResources),
        (.SQLITE_CANTOPEN, EACCES, .permissionDenied), (.SQLITE_CANTOPEN, ENOENT, .unavailable),
        (.SQLITE_PERM, 0, .permissionDenied), (.SQLITE_READONLY, 0, .readOnly),
        (.SQLITE_READONLY_DBMOVED, 0, .storeRemoved), (.SQLITE_CONSTRAINT, 0, .sqlite),
        (.SQLITE_ERROR, 0, .sqlite), (.connectionForked, 0, .forked),
        (.connectionPoisoned, 0, .storeReplaced), (.connectionClosed, 0, .closed),
    ])
    func `each error of SQLite has its code`(
        code: SQLiteError.ResultCode, number: Int32, expected: PersistentStoreError.Code
    ) {
        let error = SQLiteError(code: code, message: "m", systemErrno: number)
        let found = PersistentStoreError(sqlite: error, path: "/c/n.sqlite")
        #expect(found.code == expected)
        #expect(found.path == "/c/n.sqlite")
        #expect(found.underlying as? SQLiteError == error)
    }

    @Test(arguments: [
        (FileLockError.Code.timedOut, PersistentStoreError.Code.busy), (.lockLost, .busy),
        (.forked, .forked), (.notWritable, .permissionDenied), (.readOnlyFileSystem, .readOnly),
        (.noSpace, .noSpace), (.unsupported, .unavailable),
    ])
    func `each error of a lock has its code`(
        code: FileLockError.Code, expected: PersistentStoreError.Code
    ) {
        let error = FileLockError(code, "m", path: "/c/n.lock")
        #expect(PersistentStoreError(lock: error).code == expected)
    }

    @Test func `an error of a store is not wrapped again`() {
        let error = PersistentStoreError(.busy, "m")
        #expect(PersistentStoreError(wrapping: error, path: "/other").path == nil)
    }

    @Test func `codes match in catch clauses`() {
        do {
            throw PersistentStoreError(.noSpace, "m")
        } catch PersistentStoreError.Code.busy {
            Issue.record("another code")
        } catch PersistentStoreError.Code.noSpace {
        } catch {
            Issue.record("no code")
        }
    }
}
