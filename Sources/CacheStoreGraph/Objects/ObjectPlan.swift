// SPDX-License-Identifier: MIT

import CacheStoreModel

/// What the objects of one class and entity share: which wrapper is which property, and how its
/// values are read.
///
/// Plans live as long as their model's ``GraphModel``, which lives until the process ends; objects
/// refer to them without counting.
final class ObjectPlan {
    struct Slot {
        var propertyIndex: Int
        /// The row's cell; -1 for what rows do not hold.
        var column: Int
        var codec: AnyAttributeCodec?
    }

    let entity: Entity
    let entityIndex: Int
    let rootIndex: Int
    let objectClass: ManagedObject.Type
    let slots: ContiguousArray<Slot>
    /// The default values of a new object: made anew for each, because `Date()` is a default too.
    let defaults: [(propertyIndex: Int, make: @Sendable () -> PropertyValue)]
    /// The to-many relationships, by property index: the place of each in an object's table.
    let toManyOrdinals: [Int?]
    let toManyCount: Int
    /// The relationships: entities mostly have few, and copying descriptions takes its time.
    let relationships: [Property]
    /// Whether deleting an object may delete others.
    let hasCascades: Bool
    /// How many values an object has, to-many properties included.
    let propertyCount: Int
    /// The properties that have a value of the object's own: all but the to-many ones.
    let valueProperties: PropertySet
    /// The to-one relationships.
    let toOneIndexes: [Int]
    let hasToOne: Bool
    /// By property index. Owned by the plan, freed in deinit.
    let access: UnsafeMutablePointer<PropertyAccess>
    /// By slot. Owned by the plan, freed in deinit.
    let slotAccess: UnsafeMutablePointer<SlotAccess>
    /// What validation has to look at.
    let checks: PropertyChecks
    /// The required properties of `checks` without an array around them, which would be counted for
    /// each object. Owned by the plan, freed in deinit.
    let required: UnsafeMutablePointer<Int32>
    let requiredCount: Int
    let requiredSet: PropertySet

    private init(withoutProperties entity: Entity) {
        self.entity = entity
        entityIndex = entity.index
        rootIndex = entity.rootIndex
        objectClass = ManagedObject.self
        slots = []
        defaults = []
        toManyOrdinals = []
        toManyCount = 0
        relationships = []
        propertyCount = 0
        hasCascades = false
        valueProperties = PropertySet()
        toOneIndexes = []
        hasToOne = false
        access = .allocate(capacity: 0)
        slotAccess = .allocate(capacity: 0)
        checks = PropertyChecks([])
        required = .allocate(capacity: 0)
        requiredCount = 0
        requiredSet = PropertySet()
    }

    deinit {
        access.deallocate()
        slotAccess.deallocate()
        required.deallocate()
    }

    init(entity: Entity, objectClass: ManagedObject.Type) throws(ModelError) {
        var slots: ContiguousArray<Slot> = []
        var defaults: [(Int, @Sendable () -> PropertyValue)] = []
        let declared =
            objectClass == ManagedObject.self ? [] : ClassDescription.of(objectClass).slots
        for slot in declared {
            let property = try entity.requiredProperty(named: slot.name)
            var codec: AnyAttributeCodec?
            switch (slot.declaration, property.kind) {
            case (.attribute(let declaration), .attribute(let attribute)):
                guard declaration.codec.type == attribute.type else {
                    throw ModelError(
                        .wrongType,
                        "the class declares \(declaration.codec.type), the model \(attribute.type)",
                        entity: entity.name, property: slot.name)
                }
                codec = declaration.codec
                if let make = declaration.makeDefault { defaults.append((property.index, make)) }
            case (.relationship(let declaration), .relationship(let relationship)):
                guard (declaration.shape == .toOne) != relationship.description.isToMany else {
                    throw ModelError(
                        .wrongType, "the class and the model disagree about to-one and to-many",
                        entity: entity.name, property: slot.name)
                }
            default:
                throw ModelError(
                    .wrongType, "the class and the model disagree about attribute and relationship",
                    entity: entity.name, property: slot.name)
            }
            slots.append(
                Slot(propertyIndex: property.index, column: property.column ?? -1, codec: codec))
        }
        let dynamic = Set(defaults.map(\.0))
        for property in entity.properties where !dynamic.contains(property.index) {
            guard let value = property.attribute?.defaultValue else { continue }
            defaults.append((property.index, { value }))
        }
        self.entity = entity
        self.entityIndex = entity.index
        self.rootIndex = entity.rootIndex
        self.objectClass = objectClass
        self.slots = slots
        self.defaults = defaults.map { (propertyIndex: $0.0, make: $0.1) }
        var count = 0
        self.toManyOrdinals = entity.properties.map {
            guard $0.isToMany else { return nil }
            defer { count += 1 }
            return count
        }
        self.toManyCount = count
        self.relationships = entity.properties.filter { $0.relationship != nil }
        self.propertyCount = entity.properties.count
        self.hasCascades = relationships.contains {
            $0.relationship?.description.deleteRule == .cascade
        }
        self.valueProperties = PropertySet(
            entity.properties.filter { !$0.isToMany }.map(\.index))
        self.toOneIndexes = entity.properties.filter {
            $0.relationship != nil && !$0.isToMany
        }.map(\.index)
        self.hasToOne = !toOneIndexes.isEmpty
        self.access = .allocate(capacity: entity.properties.count)
        for property in entity.properties {
            (access + property.index).initialize(
                to: PropertyAccess(property, layout: entity.layout))
        }
        self.slotAccess = .allocate(capacity: slots.count)
        for (index, slot) in slots.enumerated() {
            let place = access[slot.propertyIndex]
            (slotAccess + index).initialize(
                to: SlotAccess(
                    property: Int32(truncatingIfNeeded: slot.propertyIndex), column: place.column,
                    offset: place.offset))
        }
        let checks = PropertyChecks(entity.properties)
        self.checks = checks
        self.requiredCount = checks.required.count
        self.requiredSet = PropertySet(checks.required)
        self.required = .allocate(capacity: checks.required.count)
        for (place, index) in checks.required.enumerated() {
            (required + place).initialize(to: Int32(truncatingIfNeeded: index))
        }
    }
}

extension ObjectPlan {
    /// What an object holds before anything is set. An array of its own for each: writing into a
    /// shared one would copy it.
    @inline(__always)
    func makeEmptyValues() -> ContiguousArray<PropertyValue> {
        // Grown by hand: `init(repeating:count:)` is not specialised as far as the allocation, and
        // asks the runtime for the type of its buffer each time.
        var values: ContiguousArray<PropertyValue> = []
        values.reserveCapacity(propertyCount)
        for _ in 0..<propertyCount { values.append(.null) }
        return values
    }

    /// The plan of objects that are made only to describe or record, and have no values.
    // Never changes; the objects that use it have no slots and read nothing from it.
    nonisolated(unsafe) static let none = ObjectPlan(withoutProperties: noEntity)
    /// The ID of such objects.
    static let noID = ManagedObjectID(
        space: IdentitySpace.space(storeIdentifier: nil, model: noModel), entityIndex: 0, key: 0)

    private static let noModel = ManagedObjectModel(
        described: .success([EntityDescription("None")]), classes: [:])
    private static let noEntity = noModel.entities[0]
}
