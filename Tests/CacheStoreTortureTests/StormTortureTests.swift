// SPDX-License-Identifier: MIT

import CacheStoreTestKit
import Foundation
import Testing

@testable import CacheStoreTorture

/// Many processes use one store at once.
@Suite struct StormTortureTests {
    private static let seconds = ShortRun.isSlow ? 30 : 2

    private func storm(_ roles: [StormProcess.Role]) async throws -> Tally {
        let runner = try CrashRunner()
        await withTaskGroup(of: Void.self) { group in
            for role in roles {
                let process = runner.process()
                group.addTask {
                    await #expect(processExitsWith: .success) {
                        [
                            process = process as Crash, role = role.rawValue as String,
                            seconds = Self.seconds as Int
                        ] in
                        guard let role = StormProcess.Role(rawValue: role) else { _exit(2) }
                        process.run { try StormProcess.run($0, role, seconds: seconds) }
                    }
                }
            }
        }
        var tally = Tally(name: "storm", mustAllWork: true)
        try StormTorture.judge(runner, &tally)
        return tally
    }

    @Test func `eight processes that open, save, reset and checkpoint lose nothing`() async throws {
        #expect(try await storm(Array(repeating: .everything, count: 8)).isSound)
    }

    // https://sqlite.org/wal.html#walresetbug
    @Test func `writers and checkpoints at once lose no acknowledged row`() async throws {
        #expect(
            try await storm([.writer, .writer, .writer, .checkpointer, .checkpointer]).isSound)
    }
}
