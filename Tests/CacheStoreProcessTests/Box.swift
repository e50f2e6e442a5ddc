// SPDX-License-Identifier: MIT

import Synchronization

/// A value that several threads of a test change.
final class Box<Value: Sendable>: Sendable {
    private let storage: Mutex<Value>

    init(_ value: Value) { storage = Mutex(value) }

    var value: Value { storage.withLock { $0 } }

    @discardableResult
    func update<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        storage.withLock { value in body(&value) }
    }
}
