// SPDX-License-Identifier: MIT

import CCacheStoreShims
import CacheStoreModel

/// Finds out which properties a key path leads through, by reading it on an object that only notes
/// what is read.
final class KeyPathRecorder {
    struct Step {
        var objectClass: ManagedObject.Type
        var slot: Int
    }

    private(set) var steps: [Step] = []

    func record(slot: Int) {
        guard let last = currentClass else { return }
        steps.append(Step(objectClass: last, slot: slot))
    }

    /// Notes a to-one relationship and gives another recording object, so that the path can go on.
    func record<Destination: ManagedObject>(
        slot: Int, of owner: ManagedObject, leadingTo destination: Destination.Type
    ) -> Destination? {
        steps.append(Step(objectClass: type(of: owner), slot: slot))
        return makeObject(of: destination) as? Destination
    }

    private var currentClass: ManagedObject.Type?

    private func makeObject(of objectClass: ManagedObject.Type) -> ManagedObject {
        currentClass = objectClass
        cachestore_property_cursor_reset()
        return objectClass.init(seed: ObjectSeed(purpose: .recording(self)))
    }

    /// The properties that a key path reads, one after another.
    static func steps(of keyPath: AnyKeyPath, from root: ManagedObject.Type) -> [Step] {
        let recorder = KeyPathRecorder()
        let object = recorder.makeObject(of: root)
        _ = object[keyPath: keyPath]
        return recorder.steps
    }
}

extension ManagedObject {
    /// Reads any key path; `nil` if it starts at another type.
    fileprivate subscript(keyPath keyPath: AnyKeyPath) -> Any? {
        let value: Any = self
        return value[keyPath: keyPath]
    }
}
