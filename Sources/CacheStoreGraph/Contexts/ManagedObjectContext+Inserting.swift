// SPDX-License-Identifier: MIT

import CacheStoreModel
import CCacheStoreShims

extension ManagedObjectContext {
    /// Inserts a new object of a class.
    ///
    /// The object gets its default values; ``ManagedObject/awakeFromInsert()`` is called. It is
    /// written to the store when the context is saved. No I/O.
    ///
    /// - Precondition: The model has an entity with this class, and it is not abstract.
    public func insert<Object: ManagedObject>(_ objectClass: Object.Type) -> Object {
        objectClass.init(context: self)
    }

    /// Inserts a new object of an entity by its name.
    ///
    /// - Throws: ``ModelError`` with code `unknownEntity`, or `unsupported` if the entity is abstract.
    @discardableResult
    public func insert(entityNamed name: String) throws -> ManagedObject {
        let entity = try graphModel.model.requiredEntity(named: name)
        guard !entity.isAbstract else {
            throw ModelError(.unsupported, "an abstract entity has no objects", entity: name)
        }
        let object = graphModel.plans[entity.index].makeObject(
            id: temporaryID(entity.index), in: self)
        finishInsertion(of: object)
        return object
    }

    func seedForInsertion(of objectClass: ManagedObject.Type) -> ObjectSeed {
        if lastInsertion?.objectClass == objectClass, let plan = lastInsertion?.plan {
            return plan.seed(id: temporaryID(plan.entityIndex), in: self)
        }
        let entity = graphModel.entity(of: objectClass)
        precondition(
            entity != nil, "The context's model has no entity with the class \(objectClass).")
        guard let entity else { return ObjectSeed(purpose: .description) }
        precondition(
            !entity.isAbstract, "The entity \(entity.name) is abstract and has no objects.")
        let plan = graphModel.plans[entity.index]
        lastInsertion = (objectClass, plan)
        return plan.seed(id: temporaryID(entity.index), in: self)
    }

    private func temporaryID(_ entityIndex: Int) -> ManagedObjectID {
        ManagedObjectID.temporary(in: space, entityIndex: entityIndex)
    }

    func finishInsertion(of object: ManagedObject) {
        let plan = object.plan
        mutate {
            object.values = plan.makeEmptyValues()
            object.status = .new
            for (index, make) in plan.defaults { object.values[index] = make() }
            register(object)
            noteChange(of: object)
        }
        object.awakeFromInsert()
    }
}

extension ObjectPlan {
    /// Makes an object of the plan's class: a fault.
    @inline(__always)
    func makeObject(id: ManagedObjectID, in context: ManagedObjectContext) -> ManagedObject {
        cachestore_property_cursor_reset()
        return objectClass.init(seed: seed(id: id, in: context))
    }

    @inline(__always)
    fileprivate func seed(id: ManagedObjectID, in context: ManagedObjectContext) -> ObjectSeed {
        ObjectSeed(
            purpose: .object(
                plan: Unmanaged.passUnretained(self), id: id,
                context: Unmanaged.passUnretained(context)))
    }
}

extension ManagedObject {
    /// Called by the context when it goes away or is reset.
    final func leaveContext() {
        unmanagedContext = nil
        extras?.toManyStates.removeAll()
        pendingIndex = -1
    }
}
