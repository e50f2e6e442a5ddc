// SPDX-License-Identifier: MIT

import Synchronization

/// A set of entities, checked and resolved: what a store is opened with.
///
/// A model never changes once it exists, so it may be shared by any number of stores, contexts and
/// threads.
///
/// ```swift
/// let model = try ManagedObjectModel(entities: [
///     EntityDescription(
///         "Note", attributes: [AttributeDescription("text", .string)],
///         relationships: [RelationshipDescription("folder", toOne: "Folder", inverse: "notes")]),
///     EntityDescription(
///         "Folder", relationships: [RelationshipDescription("notes", toMany: "Note")]),
/// ])
/// ```
public final class ManagedObjectModel: Sendable {
    /// The entities, sorted by name.
    package let entities: [Entity]
    package let joins: [JoinTable]
    package let entityIndexes: [String: Int]
    /// The classes of the objects, by entity; an entity without one has plain managed objects.
    package let classes: [String: AnyClass]
    /// What is wrong with a model that was made from classes: opening a store with it throws this.
    package let deferredError: ModelError?
    /// The fingerprint, once it has been asked for.
    let fingerprintCache = Mutex<String?>(nil)

    /// Creates a model from entity descriptions.
    ///
    /// - Throws: ``ModelError`` for a name that is taken or malformed, an unknown superentity or
    ///   destination, inverses that contradict each other, a default value of the wrong type, or a
    ///   constraint over properties that do not exist.
    public convenience init(entities: [EntityDescription]) throws {
        try self.init(entities: entities, classes: [:])
    }

    package convenience init(
        entities: [EntityDescription], classes: [String: AnyClass]
    ) throws(ModelError) {
        self.init(resolved: try ModelResolver(entities).resolve(), classes: classes, failure: nil)
    }

    /// A model that was described by classes; where that failed, it has no entities and remembers why.
    package convenience init(
        described: Result<[EntityDescription], ModelError>, classes: [String: AnyClass]
    ) {
        var resolved = ModelResolver.Result(entities: [], joins: [])
        var failure: ModelError?
        do throws(ModelError) {
            resolved = try ModelResolver(described.get()).resolve()
        } catch {
            failure = error
        }
        self.init(resolved: resolved, classes: classes, failure: failure)
    }

    private init(
        resolved: ModelResolver.Result, classes: [String: AnyClass], failure: ModelError?
    ) {
        self.entities = resolved.entities
        self.joins = resolved.joins
        self.entityIndexes = Dictionary(
            resolved.entities.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
        self.classes = classes
        self.deferredError = failure
    }

    /// The descriptions of the entities, by name, with both sides of each inverse filled in.
    public var entitiesByName: [String: EntityDescription] {
        Dictionary(
            entities.map { ($0.name, $0.description) }, uniquingKeysWith: { first, _ in first })
    }

    package func entity(named name: String) -> Entity? {
        entityIndexes[name].map { entities[$0] }
    }

    /// The entity of that name, or the error that a program gets for a name it made up.
    package func requiredEntity(named name: String) throws(ModelError) -> Entity {
        if let deferredError { throw deferredError }
        guard let entity = entity(named: name) else {
            throw ModelError(.unknownEntity, "the model has no such entity", entity: name)
        }
        return entity
    }
}
