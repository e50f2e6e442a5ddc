// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import Synchronization

/// A model together with the plans of its classes: made once for each model, kept until the process
/// ends.
final class GraphModel: @unchecked Sendable {
    // Plans and tables are immutable once made; the cache of key paths is behind a mutex.

    let model: ManagedObjectModel
    /// By entity index.
    let plans: [ObjectPlan]
    // The same ones: counting a plan would make all threads that make objects meet at the count.
    private let uncountedPlans: ContiguousArray<Unmanaged<ObjectPlan>>
    private let entityIndexes: [ObjectIdentifier: Int]
    /// The index of the root entity, by entity index: without an entity to count references to.
    private let rootIndexes: [Int]
    /// The shapes of predicates that were fetched with.
    let shapes = PredicateShapes()
    private let keyPaths = Mutex<[KeyPathKey: [PropertyPath.Step]]>([:])

    // Key paths are immutable; one that captured something is only compared and hashed here.
    private struct KeyPathKey: Hashable, @unchecked Sendable {
        let keyPath: AnyKeyPath
        let root: ObjectIdentifier
    }

    private init(_ model: ManagedObjectModel) throws(ModelError) {
        if let error = model.deferredError { throw error }
        self.model = model
        var plans: [ObjectPlan] = []
        var indexes: [ObjectIdentifier: Int] = [:]
        for entity in model.entities {
            let objectClass =
                model.classes[entity.name] as? ManagedObject.Type ?? ManagedObject.self
            plans.append(try ObjectPlan(entity: entity, objectClass: objectClass))
            if objectClass != ManagedObject.self {
                indexes[ObjectIdentifier(objectClass)] = entity.index
            }
        }
        self.plans = plans
        self.uncountedPlans = ContiguousArray(plans.map(Unmanaged.passUnretained))
        self.rootIndexes = plans.map(\.rootIndex)
        self.entityIndexes = indexes
    }

    private static let cache = Mutex<[ObjectIdentifier: GraphModel]>([:])

    static func of(_ model: ManagedObjectModel) throws(ModelError) -> GraphModel {
        let key = ObjectIdentifier(model)
        if let known = cache.withLock({ $0[key] }) { return known }
        let made = try GraphModel(model)
        return cache.withLock { cache in
            if let known = cache[key] { return known }
            cache[key] = made
            return made
        }
    }

    /// Makes an object of an entity's class: a fault.
    @inline(__always)
    func makeObject(id: ManagedObjectID, in context: ManagedObjectContext) -> ManagedObject {
        uncountedPlans[Int(id.entityIndex)]._withUnsafeGuaranteedRef {
            $0.makeObject(id: id, in: context)
        }
    }

    /// The hierarchy of an ID, by the index of its root entity.
    func rootIndex(of id: ManagedObjectID) -> Int {
        let index = Int(id.entityIndex)
        return index < rootIndexes.count ? rootIndexes[index] : id.resolvedEntity.rootIndex
    }

    /// The entity whose objects have this class.
    func entity(of objectClass: ManagedObject.Type) -> Entity? {
        entityIndexes[ObjectIdentifier(objectClass)].map { model.entities[$0] }
    }

    /// The properties that a key path of a class leads through.
    ///
    /// - Throws: `ModelError` with code `unknownProperty` if it leads to something else.
    func steps(
        of keyPath: AnyKeyPath, from objectClass: ManagedObject.Type
    ) throws(ModelError) -> [PropertyPath.Step] {
        let key = KeyPathKey(keyPath: keyPath, root: ObjectIdentifier(objectClass))
        if let known = keyPaths.withLock({ $0[key] }) { return known }
        var steps: [PropertyPath.Step] = []
        for step in KeyPathRecorder.steps(of: keyPath, from: objectClass) {
            let name = ClassDescription.of(step.objectClass).slots[step.slot].name
            guard let entity = entity(of: step.objectClass) else {
                throw ModelError(
                    .unknownEntity, "no entity of the model has this class",
                    entity: step.objectClass.entityName)
            }
            let property = try entity.requiredProperty(named: name)
            steps.append(
                PropertyPath.Step(entityIndex: entity.index, propertyIndex: property.index))
        }
        guard !steps.isEmpty else {
            throw ModelError(
                .unknownProperty, "a key path leads to no attribute or relationship",
                entity: objectClass.entityName)
        }
        let found = steps
        keyPaths.withLock { $0[key] = found }
        return found
    }
}
