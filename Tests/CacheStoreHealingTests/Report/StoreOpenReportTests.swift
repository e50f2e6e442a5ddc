// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import CacheStoreHealing

@Suite struct StoreOpenReportTests {
    @Test(arguments: [
        (StoreOpenReport.Outcome.opened, false), (.migrated, false), (.created, true),
        (.reset, true), (.inMemory, true), (.salvaged, true),
    ])
    func `what a program may have to fetch again follows from the outcome`(
        outcome: StoreOpenReport.Outcome, isNew: Bool
    ) {
        var report = StoreOpenReport(url: nil, newFingerprint: "new")
        report.outcome = outcome
        #expect(report.wasResetOrCreated == isNew)
    }

    @Test func `a report reads as one fact a line`() {
        var report = StoreOpenReport(url: URL(filePath: "/c/n.sqlite"), newFingerprint: "new")
        report.outcome = .reset
        report.cause = .unmigratable("no way")
        report.oldFingerprint = "old"
        report.wasUncleanShutdown = true
        report.verification = .passed
        report.rowsLost = ["Note": 3, "Album": 1]
        report.quarantine = URL(filePath: "/c/quarantine/n-1")
        report.steps = [.init(name: "lock", detail: "shared", duration: .microseconds(1500))]
        #expect(
            report.description == """
                Store reset: the model has changed and cannot be migrated: no way
                  file: /c/n.sqlite
                  model: old → new
                  last session: not closed
                  verification: passed
                  rows lost: Album 1, Note 3
                  kept in: /c/quarantine/n-1
                  step: lock (1.5 ms): shared
                """)
    }

    @Test func `the steps of an opening are told with their times`() throws {
        let report = try TemporaryStore().open().report
        #expect(
            report.steps.map(\.name) == ["lock", "inspect", "announce", "create", "share lock"])
        #expect(report.steps.allSatisfy { $0.duration > .zero })
    }
}
