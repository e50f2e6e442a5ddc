// SPDX-License-Identifier: MIT
import CCacheStoreSQLite

/// A closure that SQLite asks now and then whether to go on.
final class ProgressHandler {
    let shouldStop: () -> Bool
    private let instructions: Int32

    init(every instructions: Int32, _ shouldStop: @escaping () -> Bool) {
        self.instructions = instructions
        self.shouldStop = shouldStop
    }

    /// Makes this the progress handler of a handle, which must not outlive it.
    func install(on handle: OpaquePointer) {
        sqlite3_progress_handler(
            handle, instructions,
            { context in
                guard let context else { return 0 }
                // The state that owns the database handle owns this object while it is installed.
                let handler = Unmanaged<ProgressHandler>.fromOpaque(context).takeUnretainedValue()
                return handler.shouldStop() ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    static func remove(from handle: OpaquePointer) {
        sqlite3_progress_handler(handle, 0, nil, nil)
    }
}
