// SPDX-License-Identifier: MIT

public import CacheStoreModel

extension ManagedObjectModel {
    /// Creates a model from classes with `@Attribute` and `@Relationship`.
    ///
    /// Superclasses below ``ManagedObject`` become superentities by themselves. A mistake in the
    /// declarations (an inverse that contradicts another, two properties of one name) does not stop
    /// the program here: the first attempt to open a store with the model throws it as a
    /// ``ModelError``.
    ///
    /// ```swift
    /// let model = ManagedObjectModel(Photo.self, Tag.self, Comment.self)
    /// ```
    public convenience init(_ classes: ManagedObject.Type...) {
        self.init(classes: classes)
    }

    /// Creates a model from a list of classes.
    public convenience init(classes: [ManagedObject.Type]) {
        let describer = ModelDescriber(classes)
        self.init(
            described: Result { () throws(ModelError) in try describer.descriptions() },
            classes: describer.classesByName)
    }
}

/// Turns classes into entity descriptions.
struct ModelDescriber {
    private let classes: [ManagedObject.Type]
    let classesByName: [String: AnyClass]

    init(_ given: [ManagedObject.Type]) {
        var classes: [ManagedObject.Type] = []
        for objectClass in given {
            var current: ManagedObject.Type? = objectClass
            while let entityClass = current, entityClass != ManagedObject.self {
                if !classes.contains(where: { $0 == entityClass }) { classes.append(entityClass) }
                current = Self.superclass(of: entityClass)
            }
        }
        self.classes = classes
        self.classesByName = Dictionary(
            classes.map { ($0.entityName, $0 as AnyClass) },
            uniquingKeysWith: { first, _ in first })
    }

    private static func superclass(of objectClass: ManagedObject.Type) -> ManagedObject.Type? {
        _getSuperclass(objectClass) as? ManagedObject.Type
    }

    func descriptions() throws(ModelError) -> [EntityDescription] {
        var descriptions: [EntityDescription] = []
        for objectClass in classes { descriptions.append(try describe(objectClass)) }
        return descriptions
    }

    private func describe(
        _ objectClass: ManagedObject.Type
    ) throws(ModelError) -> EntityDescription {
        var entity = EntityDescription(objectClass.entityName)
        if let superclass = Self.superclass(of: objectClass), superclass != ManagedObject.self {
            entity.superentity = superclass.entityName
        }
        // Swift classes inherit what a superclass overrides; entities have only their own.
        let inherited = Self.superclass(of: objectClass)
        let hasSubclasses = classes.contains { Self.superclass(of: $0) == objectClass }
        entity.isAbstract = objectClass.isAbstractEntity && hasSubclasses
        if let original = objectClass.originalEntityName, original != inherited?.originalEntityName
        {
            entity.renamingIdentifier = original
        }
        for slot in ClassDescription.of(objectClass).slots
        where slot.declaringClass == objectClass {
            switch slot.declaration {
            case .attribute(let declaration):
                entity.attributes.append(attribute(slot.name, declaration))
            case .relationship(let declaration):
                entity.relationships.append(
                    try relationship(slot.name, declaration, of: objectClass))
            }
        }
        for keyPaths in objectClass.uniquenessConstraints
        where !(inherited?.uniquenessConstraints.contains(keyPaths) ?? false) {
            entity.uniquenessConstraints.append(try names(keyPaths, of: objectClass))
        }
        for keyPaths in objectClass.indexes
        where !(inherited?.indexes.contains(keyPaths) ?? false) {
            let names = try names(keyPaths, of: objectClass)
            entity.indexes.append(IndexDescription(names.joined(separator: "_"), on: names))
        }
        return entity
    }

    private func attribute(
        _ name: String, _ declaration: PropertyCollector.AttributeDeclaration
    ) -> AttributeDescription {
        let value = declaration.makeDefault?()
        return AttributeDescription(
            name, declaration.codec.type, isOptional: declaration.codec.isOptional,
            default: value.flatMap { $0.isNull ? nil : $0 }, options: declaration.options,
            validation: declaration.validation, renamingIdentifier: declaration.originalName)
    }

    private func relationship(
        _ name: String, _ declaration: PropertyCollector.RelationshipDeclaration,
        of objectClass: ManagedObject.Type
    ) throws(ModelError) -> RelationshipDescription {
        let destination = declaration.destination.entityName
        var inverse: String?
        if let back = declaration.inverse {
            inverse = try names([back.keyPath], of: back.root).first
        }
        if declaration.options.contains(.symmetric) { inverse = name }
        let isOptional = !declaration.options.contains(.required)
        switch declaration.shape {
        case .toOne:
            guard !declaration.options.contains(.ordered) else {
                throw ModelError(
                    .wrongType, "a to-one relationship has no order",
                    entity: objectClass.entityName, property: name)
            }
            return RelationshipDescription(
                name, toOne: destination, isOptional: isOptional, inverse: inverse,
                deleteRule: declaration.deleteRule, renamingIdentifier: declaration.originalName)
        case .toMany, .orderedToMany:
            let isArray = declaration.shape == .orderedToMany
            guard isArray || !declaration.options.contains(.ordered) else {
                throw ModelError(
                    .wrongType, "an ordered relationship is an Array, not a Set",
                    entity: objectClass.entityName, property: name)
            }
            return RelationshipDescription(
                name, toMany: destination, isOrdered: isArray, isOptional: isOptional,
                inverse: inverse, deleteRule: declaration.deleteRule,
                minimumCount: declaration.minimumCount, maximumCount: declaration.maximumCount,
                renamingIdentifier: declaration.originalName)
        }
    }

    private func names(
        _ keyPaths: [AnyKeyPath], of objectClass: ManagedObject.Type
    ) throws(ModelError) -> [String] {
        var names: [String] = []
        for keyPath in keyPaths {
            let steps = KeyPathRecorder.steps(of: keyPath, from: objectClass)
            guard let step = steps.first, steps.count == 1 else {
                throw ModelError(
                    .unknownProperty, "a key path leads to no attribute or relationship",
                    entity: objectClass.entityName)
            }
            names.append(ClassDescription.of(step.objectClass).slots[step.slot].name)
        }
        return names
    }
}
