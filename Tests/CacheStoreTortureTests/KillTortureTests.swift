// SPDX-License-Identifier: MIT

import CacheStoreTestKit
import Foundation
import Testing

@testable import CacheStoreTorture

/// Processes are killed in the middle of each work.
@Suite @MainActor struct KillTortureTests {
    @Test(arguments: KillTorture.works)
    func `killed anywhere, the store opens with what was acknowledged, or says that it is new`(
        work: Work
    ) async throws {
        let run = try ShortRun()
        let runner = try CrashRunner(seed: run.settings.seed)
        for round in 0..<(ShortRun.isSlow ? 100 : 6) {
            try run.templates.copy(work, to: runner.folder)
            let crash = runner.nextCrash(
                round % 2 == 0 ? .systemCalls(450) : .time(.milliseconds(100)))
            await #expect(processExitsWith: .signal(SIGKILL)) {
                @MainActor
                [name = work.rawValue as String, crash = crash as Crash] in
                guard let work = Work(rawValue: name) else { _exit(2) }
                crash.run { crash in
                    try work.run(in: crash.folder, Witness { crash.acknowledge($0) })
                }
            }
            let verdict = Aftermath(
                work: work, folder: runner.folder, lines: crash.acknowledgements
            ).judge()
            #expect(verdict.finding.isHealed && !verdict.finding.isLost, "\(crash)")
            #expect(verdict.complaints.isEmpty && !verdict.finding.isSilent, "\(crash)")
        }
    }
}
