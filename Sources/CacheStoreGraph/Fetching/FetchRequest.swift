// SPDX-License-Identifier: MIT

import CacheStoreModel
public import Foundation

/// What to fetch: the objects of an entity that satisfy a predicate, in an order.
///
/// ```swift
/// let lastWeek = Date.now.addingTimeInterval(-7 * 86_400)
/// let request = FetchRequest<Photo>(
///     where: #Predicate { $0.takenAt > lastWeek && $0.tags.contains { $0.name == "sea" } },
///     sortBy: [SortDescriptor(\.takenAt, order: .reverse)], limit: 20)
/// let photos = try context.fetch(request)
/// ```
///
/// Predicates and orders run in the store; captured values are bound, never written into SQL. What a
/// store cannot evaluate is an error that names the expression.
public struct FetchRequest<Result: ManagedObject> {
    /// The entity by name; `nil` for the entity of the class.
    public var entityName: String?
    /// The condition; `nil` for all objects.
    public var predicate: Predicate<Result>?
    /// A condition made of names and values, for entities without a class; both must hold.
    public var condition: PropertyCondition?
    /// The order; objects that are equal in it come in the order in which they were saved.
    public var sortDescriptors: [SortDescriptor<Result>]
    /// The order by names, after that of the descriptors.
    public var sortKeys: [(name: String, ascending: Bool)] = []
    /// The most objects to fetch; `nil` for all.
    public var fetchLimit: Int?
    /// How many objects to leave out at the start.
    public var fetchOffset: Int
    /// How many objects' rows are loaded at a time; `nil` to load all at once.
    ///
    /// With a batch size a fetch reads IDs only, and an object loads its batch when it is first read:
    /// less memory, and less work for what is never looked at. While changes are pending that concern
    /// the request, all rows are loaded at once.
    public var fetchBatchSize: Int?
    /// Whether objects of subentities are fetched too.
    public var includesSubentities = true
    /// Whether unsaved changes count: unsaved objects are found, changed ones are judged by their
    /// unsaved values, deleted ones left out. The limit and the offset apply afterwards.
    public var includesPendingChanges = true
    /// To-many and to-one relationships to load together with the objects: one query each.
    public var relationshipKeyPathsForPrefetching: [PartialKeyPath<Result>] = []

    /// Creates a request for the objects of a class.
    public init(
        where predicate: Predicate<Result>? = nil,
        sortBy sortDescriptors: [SortDescriptor<Result>] = [],
        limit: Int? = nil, offset: Int = 0
    ) {
        self.predicate = predicate
        self.sortDescriptors = sortDescriptors
        fetchLimit = limit
        fetchOffset = offset
    }
}

extension FetchRequest where Result == ManagedObject {
    /// Creates a request for the objects of an entity by its name.
    public init(
        entityName: String, where condition: PropertyCondition? = nil,
        sortBy sortKeys: [(name: String, ascending: Bool)] = [], limit: Int? = nil, offset: Int = 0
    ) {
        self.init(limit: limit, offset: offset)
        self.entityName = entityName
        self.condition = condition
        self.sortKeys = sortKeys
    }
}
