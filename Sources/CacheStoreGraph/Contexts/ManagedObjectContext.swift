// SPDX-License-Identifier: MIT

public import CacheStoreModel
import CacheStoreHealing
import CacheStorePersistence
import Dispatch
import Foundation
import Synchronization

/// A scratch pad for managed objects: it loads them, tracks their changes and saves them.
///
/// A context and its objects belong to one isolation domain and are not `Sendable`: the main context
/// to the main actor, others to whoever made them. The compiler refuses to let them cross; an ID
/// (``ManagedObject/objectID``) crosses instead.
///
/// A context's parent is a coordinator (saving writes to the store), a ``SavingContext`` (saving
/// collects changes that the saving context writes), or another context (saving merges into it, in
/// memory).
///
/// ```swift
/// let context = try ManagedObjectContext(coordinator: coordinator)
/// let photo = context.insert(Photo.self)
/// photo.title = "Dunes"
/// try context.save()
/// ```
///
/// A failed save never spoils a context: the error names the objects, which can be mended,
/// ``discard(_:)``ed or rolled back.
///
/// ## Topics
/// - Making objects: ``insert(_:)``, ``insert(entityNamed:)``, ``delete(_:)``
/// - Finding objects: ``fetch(_:)``, ``count(for:)``, ``objectIDs(for:)``, ``existingObject(with:)``,
///   ``object(with:)``, ``registeredObject(for:)``
/// - Saving: ``save()``, ``saveToPersistentStore()``, ``mergePolicy``, ``obtainPermanentIDs(for:)``
/// - Undoing: ``rollback()``, ``refresh(_:mergeChanges:)``, ``reset()``, ``discard(_:)``
public final class ManagedObjectContext {
    /// Who may use a context.
    package enum Confinement: Sendable {
        /// The main thread.
        case mainThread
        /// Whoever holds it: the compiler sees to it that this is one isolation domain.
        case holder
    }

    enum Parent {
        case coordinator
        case saving(SavingContext)
        /// Another context; local if it belongs to the same isolation domain.
        case context(ContextHandle, isLocal: Bool)
    }

    /// The coordinator at the root of the context's family.
    public let coordinator: PersistentStoreCoordinator
    let parent: Parent
    package let confinement: Confinement
    let graphModel: GraphModel

    /// A name for messages.
    public var name = ""
    /// What happens when a save meets rows that another has changed, or a uniqueness constraint.
    ///
    /// The default merges property by property, and the context's values win.
    public var mergePolicy = MergePolicy.mergeByPropertyObjectTrump
    /// Whether saves of the parent, and of other contexts of the coordinator, are merged by
    /// themselves. They are taken in when the context is next used, never in the middle of a use.
    public var automaticallyMergesChangesFromParent: Bool {
        get { handle.wantsMerges }
        set { handle.setWantsMerges(newValue) }
    }

    /// What the context's children, and those who send it messages, hold of it.
    package private(set) lazy var handle = ContextHandle(self)
    // The same one, which the context keeps: looking for messages at each use must not count it.
    @exclusivity(unchecked) private var uncountedHandle: Unmanaged<ContextHandle>?
    /// Whether others read this context's unsaved changes: its children, or other threads.
    @exclusivity(unchecked) var isObserved: Bool
    /// How often anything changed; tells whether hooks changed something.
    @exclusivity(unchecked) private(set) var mutationCount = 0
    /// By index of the root entity.
    @exclusivity(unchecked) private var tables: ObjectTables
    /// Objects with unsaved changes, which this keeps alive; `nil` where one has left.
    @exclusivity(unchecked) private(set) var pending: ContiguousArray<ManagedObject?> = []
    @exclusivity(unchecked) private var pendingCount = 0
    @exclusivity(unchecked) private var mutationDepth = 0
    var isSaving = false
    /// The coordinator's store, as long as it has the same one: asking each time would make the
    /// contexts of many threads meet at one lock.
    @exclusivity(unchecked) var knownStore: KnownStore?
    /// The coordinator's epoch of the store that the objects are from.
    @exclusivity(unchecked) var epoch: Int
    /// The plan of the class that was inserted last: objects come in rows of one class.
    var lastInsertion: (objectClass: ManagedObject.Type, plan: ObjectPlan)?

    /// Creates a context that saves straight to the coordinator's store.
    ///
    /// - Throws: ``ModelError`` if the model is not sound.
    public convenience init(coordinator: PersistentStoreCoordinator) throws {
        try self.init(coordinator: coordinator, parent: .coordinator, confinement: .holder)
    }

    /// Creates a context whose saves are collected by a saving context, which writes them.
    ///
    /// - Throws: ``ModelError`` if the model is not sound.
    public convenience init(savingContext: SavingContext) throws {
        try self.init(
            coordinator: savingContext.coordinator, parent: .saving(savingContext),
            confinement: .holder)
        savingContext.addChild(handle)
    }

    /// Creates a context whose saves go into another context of the same isolation domain.
    public convenience init(parent: ManagedObjectContext) {
        self.init(
            graphModel: parent.graphModel, coordinator: parent.coordinator,
            parent: .context(parent.handle, isLocal: true), confinement: .holder)
        mergePolicy = parent.mergePolicy
        parent.isObserved = true
    }

    package convenience init(
        coordinator: PersistentStoreCoordinator, savingContext: SavingContext? = nil,
        confinement: Confinement
    ) throws {
        try self.init(
            coordinator: coordinator, parent: savingContext.map { .saving($0) } ?? .coordinator,
            confinement: confinement)
        savingContext?.addChild(handle)
    }

    /// A child of a context that lives in another isolation domain, reached by its handle.
    package convenience init(parent handle: ContextHandle) throws {
        self.init(
            graphModel: try GraphModel.of(handle.coordinator.managedObjectModel),
            coordinator: handle.coordinator, parent: .context(handle, isLocal: false),
            confinement: .holder)
    }

    private convenience init(
        coordinator: PersistentStoreCoordinator, parent: Parent, confinement: Confinement
    ) throws {
        self.init(
            graphModel: try GraphModel.of(coordinator.managedObjectModel),
            coordinator: coordinator, parent: parent, confinement: confinement)
    }

    private init(
        graphModel: GraphModel, coordinator: PersistentStoreCoordinator, parent: Parent,
        confinement: Confinement
    ) {
        self.graphModel = graphModel
        self.coordinator = coordinator
        self.parent = parent
        self.confinement = confinement
        self.isObserved = confinement == .mainThread
        self.epoch = coordinator.storeEpoch
        self.tables = ObjectTables(count: graphModel.model.entities.count)
        uncountedHandle = Unmanaged.passUnretained(handle)
        coordinator.register(handle)
    }

    /// Whether others have left messages: a load of one flag.
    var hasMessages: Bool {
        uncountedHandle?._withUnsafeGuaranteedRef { $0.hasMessages } ?? false
    }

    deinit {
        handle.contextIsGone()
        // Held until all have left: an object that goes meanwhile would look for the context.
        for object in allRegistered() { object.leaveContext() }
    }

    /// The store, for reading.
    ///
    /// - Throws: ``ContextError`` with code `noStore`.
    func store() throws -> any PersistentStore { try currentStore().store }

    /// The store and what its IDs share.
    func currentStore() throws -> KnownStore {
        let generation = coordinator.storeGeneration
        if let knownStore, knownStore.generation == generation { return knownStore }
        let (store, epoch) = try coordinator.storeAndEpoch()
        guard epoch == self.epoch else {
            // Objects may be from the former store; see `recovering`.
            throw PersistentStoreError(
                .storeReplaced, "The store was replaced since it was opened.", path: store.url?.path
            )
        }
        let known = KnownStore(generation: generation, store: store)
        knownStore = known
        return known
    }

    /// A store as one context knows it. What threads share is in constants behind an object of the
    /// context's own: so a read counts references to that object only, and threads that read do not
    /// contend for the counts of the store.
    final class KnownStore {
        let generation: Int
        let store: any PersistentStore
        // Spaces are kept until the process ends (see IdentitySpace).
        unowned(unsafe) let space: IdentitySpace

        init(generation: Int, store: any PersistentStore) {
            self.generation = generation
            self.store = store
            space = store.space
        }

        /// The row of an object, without counting what threads share.
        func row(of object: ManagedObject) throws -> RowBatch? {
            try Unmanaged.passUnretained(object.plan.entity)._withUnsafeGuaranteedRef {
                try store.row(of: $0, key: object.objectID.key)
            }
        }
    }

    /// What the IDs of the store's objects share, also without a store.
    var space: IdentitySpace {
        if knownStore?.generation == coordinator.storeGeneration, let space = knownStore?.space {
            return space
        }
        return (try? currentStore().space) ?? coordinator.space
    }

    /// Lets other threads read this context's unsaved changes and make children of it; from now on
    /// every change takes a lock. Called by the owner.
    package func shareWithOtherThreads() -> ContextHandle {
        isObserved = true
        return handle
    }

    /// The model of the context's store.
    public var managedObjectModel: ManagedObjectModel { graphModel.model }

    // MARK: - Guarding

    /// Runs a change of the graph, with other threads kept from reading unsaved changes meanwhile.
    ///
    /// Only the owner changes the graph, so nested calls need no lock, and the owner reads without
    /// one. Nothing that waits, does I/O or calls out may run inside.
    @inline(__always)
    func mutate(_ body: () -> Void) {
        mutationCount &+= 1
        guard isObserved, mutationDepth == 0 else { return body() }
        mutationDepth = 1
        handle.withGraphLocked(body)
        handle.bumpGeneration()
        mutationDepth = 0
    }

    /// Counts a change of a context that nobody else reads; `false` if somebody may, and the change
    /// has to go through ``mutate(_:)``.
    @inline(__always)
    func countUnobservedMutation() -> Bool {
        guard !isObserved else { return false }
        mutationCount &+= 1
        return true
    }

    // MARK: - Registered objects

    /// The objects the context has at the moment: all that the program or an unsaved change holds.
    public var registeredObjects: Set<ManagedObject> { Set(allRegistered()) }

    private func allRegistered() -> [ManagedObject] {
        var objects: [ManagedObject] = []
        tables.forEach { objects.append($0) }
        return objects
    }

    func registered(_ id: ManagedObjectID) -> ManagedObject? {
        guard let object = tables.object(rootIndex: graphModel.rootIndex(of: id), key: id.key)
        else { return nil }
        // The same key in another store is another object.
        return object.objectID.space === id.space || object.objectID == id ? object : nil
    }

    func registered(rootIndex: Int, key: Int64) -> ManagedObject? {
        tables.object(rootIndex: rootIndex, key: key)
    }

    /// Makes room for objects of one hierarchy that are about to be registered.
    func reserveRegistrations(rootIndex: Int, count: Int) {
        tables.reserve(rootIndex: rootIndex, count: count)
    }

    func register(_ object: ManagedObject) {
        tables.insert(object, rootIndex: object.plan.rootIndex, key: object.objectID.key)
    }

    func forget(_ object: ManagedObject) {
        tables.remove(object, rootIndex: object.plan.rootIndex, key: object.objectID.key)
    }

    /// Makes an object that the context does not have yet: a fault.
    func makeObject(_ id: ManagedObjectID) -> ManagedObject {
        let object = graphModel.makeObject(id: id, in: self)
        register(object)
        return object
    }

    func changeID(of object: ManagedObject, to id: ManagedObjectID) {
        forget(object)
        object.objectID = id
        register(object)
    }

    // MARK: - Unsaved changes

    /// Registers that an object has unsaved changes, or has none any more. Inside `mutate`.
    func noteChange(of object: ManagedObject) {
        if object.status.isDisjoint(with: [.inserted, .deleted]) {
            let isChanged =
                !object.changed.isEmpty || object.toManyStates.contains { $0?.hasChanges ?? false }
            if isChanged {
                object.status.insert(.updated)
            } else {
                object.status.remove(.updated)
                removePending(object)
                return
            }
        }
        guard object.pendingIndex < 0 else { return }
        object.pendingIndex = pending.count
        pending.append(object)
        pendingCount += 1
    }

    func removePending(_ object: ManagedObject) {
        guard object.pendingIndex >= 0 else { return }
        pending[object.pendingIndex] = nil
        object.pendingIndex = -1
        pendingCount -= 1
        if pendingCount == 0 { pending.removeAll(keepingCapacity: true) }
    }

    func removeAllPending() {
        for object in pending { object?.pendingIndex = -1 }
        pending.removeAll()
        pendingCount = 0
        handle.bumpGeneration()
    }

    func objects(_ isIncluded: (ManagedObject) -> Bool) -> Set<ManagedObject> {
        takeInMerges()
        return Set(pending.lazy.compactMap { $0 }.filter(isIncluded))
    }

    /// The objects that the next save adds.
    public var insertedObjects: Set<ManagedObject> {
        objects { $0.status.contains(.inserted) && !$0.status.contains(.deleted) }
    }
    /// The objects that the next save changes.
    public var updatedObjects: Set<ManagedObject> { objects { $0.isUpdated } }
    /// The objects that the next save deletes.
    public var deletedObjects: Set<ManagedObject> { objects { $0.status.contains(.deleted) } }

    /// Whether any object has unsaved changes; other threads ask with the handle's lock held.
    var hasPendingObjects: Bool { pendingCount > 0 }

    /// Whether there is anything to save.
    public var hasChanges: Bool {
        takeInMerges()
        return pendingCount > 0
    }
}

/// The object tables of a context, one for each hierarchy that it has objects of.
struct ObjectTables: ~Copyable {
    // Owned, deinitialised and freed in deinit; noncopyable tables cannot be in an array.
    private let tables: UnsafeMutablePointer<ObjectTable>
    private let count: Int

    init(count: Int) {
        self.count = count
        tables = .allocate(capacity: count)
        for index in 0..<count { (tables + index).initialize(to: ObjectTable()) }
    }

    deinit {
        tables.deinitialize(count: count)
        tables.deallocate()
    }

    func object(rootIndex: Int, key: Int64) -> ManagedObject? {
        tables[rootIndex].object(for: key)
    }

    mutating func insert(_ object: ManagedObject, rootIndex: Int, key: Int64) {
        tables[rootIndex].insert(object, for: key)
    }

    mutating func reserve(rootIndex: Int, count: Int) { tables[rootIndex].reserve(count) }

    mutating func remove(_ object: ManagedObject, rootIndex: Int, key: Int64) {
        tables[rootIndex].remove(object, key: key)
    }

    func forEach(_ body: (ManagedObject) -> Void) {
        for index in 0..<count { tables[index].forEach(body) }
    }
}
