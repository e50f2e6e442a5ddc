// SPDX-License-Identifier: MIT
import CacheStoreTestKit
import Foundation
import Testing

@Suite struct CrashRunnerTests {
    @Test func `what was acknowledged before the kill is known`() async throws {
        let runner = try CrashRunner(seed: 1)
        let crash = runner.nextCrash(.time(.milliseconds(30)))
        await #expect(processExitsWith: .signal(SIGKILL)) { [crash = crash as Crash] in
            crash.run { crash in
                for number in 1... { crash.acknowledge("\(number)") }
            }
        }
        let numbers = crash.acknowledgements.compactMap { Int($0) }
        #expect(numbers == Array(1..<numbers.count + 1))
        #expect(runner.acknowledgements == crash.acknowledgements)
    }

    @Test(.enabled(if: SystemFaultPlan.isAvailable), arguments: [false, true])
    func `a kill at the n-th call is at the same place every time`(isTorn: Bool) async throws {
        let runner = try CrashRunner(seed: 2)
        for _ in 1...2 {
            let crash = runner.crash(afterSystemCalls: 3, isTorn: isTorn)
            await #expect(processExitsWith: .signal(SIGKILL)) { [crash = crash as Crash] in
                crash.run { crash in
                    // Opening is the first call, each write another one.
                    let file = open(crash.folder.path + "/file", O_RDWR | O_CREAT | O_TRUNC, 0o600)
                    for number in 1...10 {
                        guard write(file, "12", 2) == 2 else { _exit(2) }
                        crash.acknowledge("\(number)")
                    }
                }
            }
            #expect(crash.acknowledgements == ["1", "2"])
            let left = try Data(contentsOf: runner.folder.appending(path: "file"))
            #expect(left.count == (isTorn ? 5 : 4))
        }
    }

    @Test func `work that ends before the point is killed at its end`() async throws {
        let runner = try CrashRunner()
        let crash = runner.crash(afterSystemCalls: 1_000_000)
        guard SystemFaultPlan.isAvailable else { return }
        await #expect(processExitsWith: .signal(SIGKILL)) { [crash = crash as Crash] in
            await crash.run { crash in
                await Task.yield()
                crash.acknowledge("the end")
            }
        }
        #expect(crash.acknowledgements == ["the end"])
    }

    @Test func `work that throws is not taken for a crash`() async throws {
        let crash = try CrashRunner().nextCrash(.time(.seconds(500)))
        await #expect(processExitsWith: .exitCode(1)) { [crash = crash as Crash] in
            crash.run { _ in throw CancellationError() }
        }
    }

    @Test func `work that hangs is ended after its time`() async throws {
        let runner = try CrashRunner()
        var crash = runner.process()
        crash.timeLimit = .milliseconds(50)
        await #expect(processExitsWith: .exitCode(99)) { [crash = crash as Crash] in
            crash.run { _ in while true { sleep(1) } }
        }
    }

    @Test func `a process that is not to be killed ends with status 0`() async throws {
        let runner = try CrashRunner()
        let process = runner.process()
        await #expect(processExitsWith: .success) { [process = process as Crash] in
            process.run { $0.acknowledge("done") }
        }
        #expect(runner.acknowledgements == ["done"])
    }

    @Test func `the same seed gives the same points, and the folder goes with the runner`() throws {
        var first: CrashRunner? = try CrashRunner(seed: 9)
        let second = try CrashRunner(seed: 9)
        for range in [CrashRunner.Range.time(.seconds(1)), .systemCalls(500), .systemCalls(500)] {
            #expect(
                first?.nextCrash(range).description == second.nextCrash(range).description)
        }
        let folder = try #require(first?.folder.path)
        #expect(FileManager.default.fileExists(atPath: folder))
        first = nil
        #expect(!FileManager.default.fileExists(atPath: folder))
    }
}
