// SPDX-License-Identifier: MIT

public import CacheStoreModel
import CacheStoreQuery

// Dynamic access: properties by name, for models without classes and for tools.

extension ManagedObject {
    /// Accesses an attribute by its name.
    ///
    /// Reading loads the object if it is a fault (one query); the other end of a to-one relationship
    /// reads as its ID. An unknown name, or the name of a to-many relationship, reads as
    /// ``PropertyValue/null`` and is not written; ``value(forKey:)`` and ``setValue(_:forKey:)`` throw
    /// instead. A value of another type than the attribute's is kept and refused when the object is
    /// validated.
    public final subscript(name: String) -> PropertyValue {
        get { (try? value(forKey: name)) ?? .null }
        set { try? setValue(newValue, forKey: name) }
    }

    /// The value of the attribute or to-one relationship of that name.
    ///
    /// - Throws: ``ModelError`` with code `unknownProperty`, or `wrongType` for a to-many relationship.
    public final func value(forKey name: String) throws -> PropertyValue {
        let property = try plan.entity.requiredProperty(named: name)
        guard !property.isToMany else { throw wrongType("is a to-many relationship", property) }
        return value(of: property)
    }

    /// Sets the attribute or to-one relationship of that name.
    ///
    /// - Throws: ``ModelError`` with code `unknownProperty`, or `wrongType` if the value is of another
    ///   type than the property.
    public final func setValue(_ value: PropertyValue, forKey name: String) throws {
        let property = try plan.entity.requiredProperty(named: name)
        switch property.kind {
        case .attribute(let attribute):
            guard value.fits(attribute.type) else {
                throw wrongType("is of type \(attribute.type)", property)
            }
            setValue(value, of: property)
        case .relationship(let relationship):
            switch value {
            case .null where !property.isToMany: setToOne(property, to: nil)
            case .object(let id) where !property.isToMany:
                let family = id.space.model.entities[relationship.destinationIndex].familyIndexes
                guard id.space.model === objectID.space.model,
                    family.contains(Int(id.entityIndex)), let context
                else { throw wrongType("leads to another entity", property) }
                setToOne(property, to: context.object(with: id))
            default: throw wrongType("is a relationship", property)
            }
        }
    }

    /// The object at the other end of the to-one relationship of that name.
    ///
    /// - Throws: ``ModelError`` with code `unknownProperty` or `wrongType`.
    public final func object(_ name: String) throws -> ManagedObject? {
        let property = try plan.entity.requiredProperty(named: name)
        guard property.relationship != nil, !property.isToMany else {
            throw wrongType("is not a to-one relationship", property)
        }
        return toOne(property)
    }

    /// Sets the object at the other end of the to-one relationship of that name.
    ///
    /// - Throws: ``ModelError`` with code `unknownProperty` or `wrongType`.
    public final func setObject(_ object: ManagedObject?, _ name: String) throws {
        let property = try plan.entity.requiredProperty(named: name)
        guard property.relationship != nil, !property.isToMany else {
            throw wrongType("is not a to-one relationship", property)
        }
        if let object { try check(object, fits: property) }
        setToOne(property, to: object)
    }

    /// The members of the to-many relationship of that name, in their order if it has one.
    ///
    /// - Throws: ``ModelError`` with code `unknownProperty` or `wrongType`.
    public final func objects(_ name: String) throws -> [ManagedObject] {
        Array(toMany(try toManyProperty(name)))
    }

    /// Makes the members of the to-many relationship of that name exactly these.
    ///
    /// - Throws: ``ModelError`` with code `unknownProperty` or `wrongType`.
    public final func setObjects(_ objects: [ManagedObject], _ name: String) throws {
        let property = try toManyProperty(name)
        for object in objects { try check(object, fits: property) }
        setMembers(ContiguousArray(objects), of: property)
    }

    /// Adds one member to a to-many relationship, without loading it: O(1). An ordered relationship
    /// is loaded (one query, once), to see whether the object has a place in it already.
    ///
    /// ```swift
    /// photo.insert(tag, into: \Photo.tags)
    /// ```
    public final func insert<Members>(
        _ object: ManagedObject, into keyPath: KeyPath<Members, some RelationshipValue>
    ) where Members: ManagedObject {
        guard let property = property(of: keyPath, in: Members.self) else { return }
        addMember(object, to: property)
    }

    /// Removes one member from a to-many relationship, without loading it. O(1).
    public final func remove<Members>(
        _ object: ManagedObject, from keyPath: KeyPath<Members, some RelationshipValue>
    ) where Members: ManagedObject {
        guard let property = property(of: keyPath, in: Members.self) else { return }
        removeMember(object, from: property)
    }

    private func property(of keyPath: AnyKeyPath, in objectClass: ManagedObject.Type) -> Property? {
        guard let steps = try? context?.graphModel.steps(of: keyPath, from: objectClass),
            let step = steps.first, steps.count == 1,
            step.propertyIndex < plan.entity.properties.count
        else { return nil }
        let property = plan.entity.properties[step.propertyIndex]
        return property.isToMany ? property : nil
    }

    private func toManyProperty(_ name: String) throws(ModelError) -> Property {
        let property = try plan.entity.requiredProperty(named: name)
        guard property.isToMany else { throw wrongType("is not a to-many relationship", property) }
        return property
    }

    private func check(_ object: ManagedObject, fits property: Property) throws(ModelError) {
        guard let relationship = property.relationship, let context,
            object.context === context,
            context.graphModel.model.entities[relationship.destinationIndex].familyIndexes
                .contains(object.plan.entity.index)
        else { throw wrongType("leads to another entity or context", property) }
    }

    private func wrongType(_ message: String, _ property: Property) -> ModelError {
        ModelError(
            .wrongType, "the property \(message)", entity: plan.entity.name,
            property: property.name)
    }
}
