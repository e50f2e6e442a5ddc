// SPDX-License-Identifier: MIT
import Foundation
import Testing

@testable import CacheStoreSQLite

@Suite struct ConnectionForkTests {
    @Test func `a forked child is refused and does not disturb the parent`() async {
        await #expect(processExitsWith: .success) {
            let database = try TemporaryDatabase()
            let connection = try database.connection()
            try connection.execute("CREATE TABLE t (x)")
            let pool = ConnectionPool(.init(path: database.path))
            // Swift hides fork(), since a child of a threaded program can do little; this one only
            // asks and leaves.
            typealias Fork = @convention(c) () -> pid_t
            let symbol = try #require(dlsym(nil, "fork"))
            let child = unsafeBitCast(symbol, to: Fork.self)()
            if child == 0 {
                var refusals: Int32 = 0
                do throws(SQLiteError) {
                    try connection.checkUsable()
                } catch {
                    if error.code == .connectionForked { refusals += 1 }
                }
                do {
                    try pool.close()
                } catch {
                    if SQLiteError.ResultCode.connectionForked ~= error { refusals += 1 }
                }
                _exit(refusals)
            }
            var status: Int32 = 0
            #expect(waitpid(child, &status, 0) == child)
            // Two refusals, as the exit status.
            #expect(status >> 8 == 2)
            try connection.execute("INSERT INTO t VALUES (1)")
            #expect(connection.changes == 1)
        }
    }
}
