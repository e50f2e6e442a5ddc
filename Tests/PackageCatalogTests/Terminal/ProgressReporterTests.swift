// SPDX-License-Identifier: MIT

import Testing

@testable import PackageCatalog

@Suite struct ProgressReporterTests {
    /// What a reporter writes, piece by piece.
    private final class Record { var pieces: [String] = [] }

    private func run(
        _ style: ProgressReporter.Style, _ body: (inout ProgressReporter) -> Void
    ) -> [String] {
        let record = Record()
        var reporter = ProgressReporter(title: "Reading", style: style) {
            record.pieces.append($0)
        }
        body(&reporter)
        return record.pieces
    }

    @Test func `without a terminal there is a line for every tenth`() {
        let lines = run(.lines) { reporter in
            for step in 0...1_000 { reporter.update(completed: step, of: 1_000) }
            reporter.finish("1,000 packages")
        }
        #expect(
            lines == (1...9).map { "Reading: \($0)0 %\n" } + ["Reading: 100 %, 1,000 packages\n"])
    }

    @Test func `a jump over several tenths is one line`() {
        let lines = run(.lines) { reporter in
            reporter.update(completed: 57, of: 100, "57 packages")
            reporter.update(completed: 59, of: 100)
        }
        #expect(lines == ["Reading: 50 %, 57 packages\n"])
    }

    @Test func `a bar is drawn once for each per cent, within the width`() {
        let pieces = run(.bar(width: 60)) { reporter in
            for step in 0...10_000 { reporter.update(completed: step, of: 10_000) }
            reporter.finish()
        }
        #expect(pieces.count == 101)
        #expect(pieces.allSatisfy { $0.hasPrefix("\rReading [") })
        for piece in pieces {
            let visible = piece.replacing("\u{1B}[K", with: "").filter { !"\r\n".contains($0) }
            #expect(visible.count < 60)
        }
        #expect(pieces.last?.hasSuffix("\n") == true)
        #expect(pieces.dropLast().allSatisfy { !$0.contains("\n") })
    }

    @Test func `a bar fills up`() {
        let pieces = run(.bar(width: 30)) { reporter in
            reporter.update(completed: 1, of: 2)
            reporter.finish()
        }
        #expect(pieces[0].contains("[######-------]  50 %"))
        #expect(pieces[1].contains("[#############] 100 %"))
    }

    @Test func `a narrow terminal gets the number alone`() {
        let pieces = run(.bar(width: 14)) { $0.update(completed: 1, of: 2) }
        #expect(pieces == ["\rReading 50 %\u{1B}[K"])
    }

    @Test func `more than the whole is 99 per cent until the end`() {
        let pieces = run(.bar(width: 60)) { reporter in
            reporter.update(completed: 300, of: 100)
            reporter.update(completed: .max, of: 1)
            reporter.update(completed: 1, of: 0)
        }
        #expect(pieces.count == 1)
        #expect(pieces[0].contains(" 99 %"))
    }

    @Test func `after the end nothing more is written`() {
        let pieces = run(.lines) { reporter in
            reporter.finish()
            reporter.finish()
            reporter.update(completed: 1, of: 2)
        }
        #expect(pieces.count == 1)
    }
}
