// SPDX-License-Identifier: MIT

import Synchronization

/// A ``ProgressReporter`` for work on another thread.
final class ProgressLine: Sendable {
    // The reporter writes to standard error only, from one thread at a time.
    private let reporter: Mutex<Reporter>

    private struct Reporter: @unchecked Sendable {
        // Unchecked, because of the closure that takes the text: that of `init(title:)`, which holds
        // nothing of a thread's own.
        var reporter: ProgressReporter
    }

    init(title: String) {
        reporter = Mutex(Reporter(reporter: ProgressReporter(title: title)))
    }

    /// Shows which share of the whole is done.
    func update(_ share: Double, _ detail: String) {
        reporter.withLock {
            $0.reporter.update(completed: Int(share * 1_000), of: 1_000, detail)
        }
    }

    /// Shows that all is done.
    func finish(_ detail: String) { reporter.withLock { $0.reporter.finish(detail) } }
}
