// SPDX-License-Identifier: MIT

extension Connection {
    /// Runs a closure while another one is asked now and then whether to stop: every so many
    /// instructions of SQLite's machine (1,000 are some ten microseconds), and while waiting for a
    /// lock. When it returns `true` the running statement fails with `SQLITE_INTERRUPT`, a wait with
    /// `SQLITE_BUSY`.
    package func withProgress<T>(
        every instructions: Int32 = 1_000, shouldStop: @escaping () -> Bool, _ body: () throws -> T
    ) throws -> T {
        try state.check()
        let outerHandler = state.progress
        let outerCancellation = state.busy.isCancelled
        let handler = ProgressHandler(every: max(1, instructions)) {
            // An inner closure adds to the outer one, it does not switch it off.
            shouldStop() || outerHandler?.shouldStop() == true
        }
        handler.install(on: state.handle)
        state.progress = handler
        state.busy.isCancelled = handler.shouldStop
        defer {
            if let outerHandler {
                outerHandler.install(on: state.handle)
            } else {
                ProgressHandler.remove(from: state.handle)
            }
            state.progress = outerHandler
            state.busy.isCancelled = outerCancellation
        }
        return try body()
    }

    /// Runs a closure whose statements fail once a point in time has passed.
    package func withDeadline<T>(
        _ deadline: ContinuousClock.Instant, _ body: () throws -> T
    ) throws -> T {
        try withProgress(shouldStop: { ContinuousClock.now >= deadline }, body)
    }
}
