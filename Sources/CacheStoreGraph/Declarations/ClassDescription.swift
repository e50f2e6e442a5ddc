// SPDX-License-Identifier: MIT

import CCacheStoreShims
import CacheStoreModel
import Synchronization

/// What a class declares: its wrappers in the order of their slots, with the names of the properties.
///
/// A class is described once, by making one object of it and reading the labels of its stored
/// properties with `Mirror`.
final class ClassDescription: @unchecked Sendable {
    // Immutable once made; the classes and codecs inside are immutable too.

    struct Slot {
        var name: String
        var declaration: PropertyCollector.Declaration
        /// The class that declares the property.
        var declaringClass: ManagedObject.Type
    }

    let objectClass: ManagedObject.Type
    let slots: [Slot]
    let slotIndexes: [String: Int]

    private init(objectClass: ManagedObject.Type, slots: [Slot]) {
        self.objectClass = objectClass
        self.slots = slots
        self.slotIndexes = Dictionary(
            slots.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static let cache = Mutex<[ObjectIdentifier: ClassDescription]>([:])

    /// The description of a class: made at the first call, then cached until the process ends.
    static func of(_ objectClass: ManagedObject.Type) -> ClassDescription {
        let key = ObjectIdentifier(objectClass)
        if let known = cache.withLock({ $0[key] }) { return known }
        let made = make(objectClass)
        return cache.withLock { cache in
            if let known = cache[key] { return known }
            cache[key] = made
            return made
        }
    }

    private static func make(_ objectClass: ManagedObject.Type) -> ClassDescription {
        let (object, declarations) = PropertyCollector.describe {
            objectClass.init(seed: ObjectSeed(purpose: .description))
        }
        var named: [(slot: Int, name: String, declaringClass: ManagedObject.Type)] = []
        var mirror: Mirror? = Mirror(reflecting: object)
        while let current = mirror, let type = current.subjectType as? ManagedObject.Type {
            for child in current.children {
                guard let wrapper = child.value as? any PropertyWrapper, let label = child.label
                else { continue }
                // The compiler stores the wrapper of `title` as `_title`.
                let name = label.hasPrefix("_") ? String(label.dropFirst()) : label
                named.append((Int(wrapper.slot), name, type))
            }
            mirror = current.superclassMirror
        }
        named.sort { $0.slot < $1.slot }
        let slots = zip(named, declarations).map {
            Slot(name: $0.name, declaration: $1, declaringClass: $0.declaringClass)
        }
        return ClassDescription(objectClass: objectClass, slots: slots)
    }
}

/// A property wrapper of this library, as `Mirror` finds it.
protocol PropertyWrapper {
    var slot: UInt16 { get }
}

extension Attribute: PropertyWrapper {}
extension Relationship: PropertyWrapper {}
