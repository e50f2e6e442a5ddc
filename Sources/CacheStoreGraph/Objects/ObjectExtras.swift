// SPDX-License-Identifier: MIT

import CacheStoreModel

/// What most objects have no need of: what was changed, and their to-many relationships.
///
/// Most objects are only read. Each field that they had would be filled, emptied and gone through
/// for all of them.
final class ObjectExtras {
    /// Which values are the object's own; the others are read from the row.
    @exclusivity(unchecked) var present = PropertySet()
    /// Which values differ from what was last loaded or saved.
    @exclusivity(unchecked) var changed = PropertySet()
    /// What changed values were before, where the row does not tell.
    @exclusivity(unchecked) var originals: [Int: PropertyValue] = [:]
    /// By the place that the plan gives each relationship; empty until there is one.
    @exclusivity(unchecked) var toManyStates: ContiguousArray<ToManyState?> = []
    /// Who notes what is read, in an object made for that.
    let recorder: KeyPathRecorder?

    init(recorder: KeyPathRecorder? = nil) { self.recorder = recorder }

    /// Nothing differs any more from what is saved, or would be.
    func forgetChanges() {
        changed = PropertySet()
        if !originals.isEmpty { originals.removeAll() }
    }

    /// What there is has been saved.
    func commit() {
        forgetChanges()
        for state in toManyStates { state?.commit() }
    }
}

// What is read where there is nothing is empty; the first change makes room.
extension ManagedObject {
    /// Which values are the object's own, and are in `values`.
    final var present: PropertySet {
        get {
            status.contains(.ownsAllValues)
                ? plan.valueProperties : extras?.present ?? PropertySet()
        }
        set {
            status.remove(.ownsAllValues)
            ensureExtras().present = newValue
        }
    }

    final var changed: PropertySet {
        get { extras?.changed ?? PropertySet() }
        _modify { yield &ensureExtras().changed }
    }

    final var originals: [Int: PropertyValue] {
        get { extras?.originals ?? [:] }
        _modify { yield &ensureExtras().originals }
    }

    final var toManyStates: ContiguousArray<ToManyState?> {
        get { extras?.toManyStates ?? [] }
        _modify { yield &ensureExtras().toManyStates }
    }

    final var recorder: KeyPathRecorder? { extras?.recorder }

    /// Whether a value is the object's own; else the row has it.
    @inline(__always)
    final func hasOwnValue(at index: Int) -> Bool {
        if status.contains(.ownsAllValues) { return true }
        return extras?.present.contains(index) ?? false
    }

    final func ensureExtras() -> ObjectExtras {
        if let extras { return extras }
        let made = ObjectExtras()
        extras = made
        return made
    }

    /// An object without changes follows its row again; what is known of its relationships stays.
    final func forgetUnchangedValues() {
        values.removeAll()
        status.remove(.ownsAllValues)
        extras?.present = PropertySet()
    }
}
