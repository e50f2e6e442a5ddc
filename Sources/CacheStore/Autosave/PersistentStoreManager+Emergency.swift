// SPDX-License-Identifier: MIT

import CacheStoreGraph
import CacheStoreModel

extension PersistentStoreManager {
    /// Writes the unsaved changes to the store from the calling thread, without the main thread: it
    /// does not answer, and the process is about to end.
    ///
    /// No hook of an object is called and nothing is cleaned up. Objects that lack a required value
    /// are left out.
    ///
    /// - Parameter closing: whether the process is sure to end, so that the store can be closed.
    nonisolated func saveInEmergency(because reason: String, closing: Bool) {
        // A store that is being opened has nothing to save, but is not to be left halfway.
        guard waitForOpening(atMost: .seconds(60)), let stack = openStack, !isClosed else { return }
        defer { if closing { closeInEmergency() } }
        guard stack.handle.hasUnsavedChanges || stack.savingContext.hasChanges else { return }
        var (written, leftOut) = (0, 0)
        do {
            try stack.savingContext.saveInEmergency(with: stack.handle) { changes in
                leftOut = changes.leaveOutIncompleteObjects()
                written = changes.inserted.count + changes.updated.count + changes.deleted.count
            }
        } catch {
            configuration.log("\(reason): the emergency save failed: \(error)")
            handleSaveError(error, saving: "the emergency save")
            return
        }
        var line = "\(reason): the main thread does not answer; changes of \(written) objects were "
        line += "saved without it and without cleaning up"
        if leftOut > 0 { line += "; \(leftOut) objects lack a required value and were left out" }
        configuration.log(line)
    }

    private nonisolated func closeInEmergency() {
        guard let stack = takeForClosing() else { return }
        stack.retire()
        do {
            try stack.coordinator.removePersistentStore()
        } catch {
            handleSaveError(error, saving: "the store at its closing")
        }
    }
}

extension ChangeSet {
    /// Takes out objects that must not be saved as they are, because a required value is missing, and
    /// all references to new ones among them; returns how many.
    mutating func leaveOutIncompleteObjects() -> Int {
        var leftOut: Set<ManagedObjectID> = []
        while true {
            var found: Set<ManagedObjectID> = []
            inserted.removeAll { insertion in
                guard Self.isIncomplete(insertion.id, insertion.values) else { return false }
                found.insert(insertion.id)
                return true
            }
            var count = leftOut.count
            updated.removeAll { update in
                guard Self.isIncomplete(update.id, update.values, among: update.changed) else {
                    return false
                }
                leftOut.insert(update.id)
                return true
            }
            count = leftOut.count - count
            leftOut.formUnion(found)
            guard !found.isEmpty || count > 0 else { return leftOut.count }
            removeReferences(to: found)
        }
    }

    private static func isIncomplete(
        _ id: ManagedObjectID, _ values: ContiguousArray<PropertyValue>,
        among changed: PropertySet? = nil
    ) -> Bool {
        id.resolvedEntity.properties.contains { property in
            !property.isOptional && !property.isToMany && !property.isTransient
                && (changed?.contains(property.index) ?? true) && values[property.index].isNull
        }
    }

    private mutating func removeReferences(to gone: Set<ManagedObjectID>) {
        guard !gone.isEmpty else { return }
        func clear(_ values: inout ContiguousArray<PropertyValue>) {
            for index in values.indices {
                if case .object(let id) = values[index], gone.contains(id) { values[index] = .null }
            }
        }
        for index in inserted.indices { clear(&inserted[index].values) }
        for index in updated.indices { clear(&updated[index].values) }
        toMany.removeAll { gone.contains($0.owner) }
        for index in toMany.indices {
            toMany[index].added.removeAll { gone.contains($0) }
            toMany[index].order?.removeAll { gone.contains($0) }
        }
    }
}
