// SPDX-License-Identifier: MIT

public import CacheStoreModel
import CCacheStoreShims

/// An object of an entity, in one context.
///
/// Subclass it and declare properties with ``Attribute`` and ``Relationship``, or use it as it is
/// with entities that have no class, by name:
///
/// ```swift
/// let note = try context.insert(entityNamed: "Note")
/// note["text"] = .string("hello")
/// ```
///
/// An object belongs to the context that made it and stays in the context's isolation: it is not
/// `Sendable`. What may cross is its ``objectID``. A context has at most one object for each ID, so
/// identity (`===`) and equality are the same.
///
/// Objects are loaded when something is read: an object that is not loaded is a *fault*. An object
/// whose row is gone does not stop the program: it reads as the defaults of its types, and
/// ``isDeleted`` tells that it is gone.
///
/// ## Topics
/// - Identity: ``objectID``, ``entityName``, ``managedObjectContext``
/// - State: ``isInserted``, ``isUpdated``, ``isDeleted``, ``isFault``, ``hasChanges``,
///   ``changedValues()``
/// - Values by name: ``subscript(_:)``, ``object(_:)``, ``objects(_:)``
/// - Hooks to override: ``awakeFromInsert()``, ``awakeFromFetch()``, ``willSave()``, ``didSave()``,
///   ``prepareForDeletion()``, ``validateForInsert()``, ``validateForUpdate()``,
///   ``validateForDelete()``
open class ManagedObject {
    // Nobody but the context's owner changes an object, and nothing calls out in the middle of a
    // change, so accesses cannot overlap; the run-time check of that would cost as much as they do.

    // Plans are kept until the process ends (see ObjectPlan), so the reference cannot dangle.
    unowned(unsafe) final let plan: ObjectPlan
    // The context clears this in all its objects before it goes away. Unmanaged, because whoever
    // changes a new object's value would count the reference, at the cost of the change itself.
    @exclusivity(unchecked) final var unmanagedContext: Unmanaged<ManagedObjectContext>?
    final var context: ManagedObjectContext? {
        @inline(__always) get { unmanagedContext?.takeUnretainedValue() }
        set { unmanagedContext = newValue.map { Unmanaged.passUnretained($0) } }
    }
    /// The identity of the object; temporary until it is saved for the first time.
    @exclusivity(unchecked) public final internal(set) var objectID: ManagedObjectID

    // Directly behind the ID, which leaves room for it.
    @exclusivity(unchecked) private final var storedPendingIndex: Int32 = -1
    /// What the values come from, or will.
    @exclusivity(unchecked) final var source = Source.nothing
    /// The start of the row, which the batch keeps.
    @exclusivity(unchecked) final var rowStart: UnsafeRawPointer?
    /// Values that are not, or not only, in the row; empty until there is one.
    @exclusivity(unchecked) final var values: ContiguousArray<PropertyValue> = []
    /// What only a changed object has, and one with to-many relationships that were used.
    @exclusivity(unchecked) final var extras: ObjectExtras?
    /// The version, or the place in a group of faults: what is not loaded has no version.
    @exclusivity(unchecked) final var versionOrPlace: Int64 = 0
    @exclusivity(unchecked) final var status = Status()

    // One field, because an object has one of them at most: each field that counts references is
    // paid for by all objects of a fetch.
    enum Source {
        case nothing
        /// The rows that the object was loaded with.
        case rows(RowBatch)
        /// The objects of one fetch that are loaded together, in batches.
        case faults(FaultGroup)
    }

    struct Status: OptionSet {
        var rawValue: UInt8
        static let inserted = Status(rawValue: 1)
        static let updated = Status(rawValue: 2)
        static let deleted = Status(rawValue: 4)
        /// The row is gone, by a save of this context or of another.
        static let gone = Status(rawValue: 8)
        static let awake = Status(rawValue: 16)
        /// All values are in the object itself, as those of a new one are.
        static let ownsAllValues = Status(rawValue: 32)
        /// Made to describe a class, or to note what is read.
        static let planless = Status(rawValue: 64)
        /// A new object that nothing was undone in.
        static let new: Status = [.inserted, .awake, .ownsAllValues]

        /// The values that there are stay.
        mutating func becomeGone() {
            formIntersection(.ownsAllValues)
            insert(.gone)
        }
    }

    /// Creates an object from what the library hands over. Programs call
    /// ``ManagedObjectContext/insert(_:)`` or ``init(context:)``; a subclass with initialisers of its
    /// own passes the seed on.
    public required init(seed: ObjectSeed) {
        switch seed.purpose {
        case .object(let plan, let id, let context):
            self.plan = plan.takeUnretainedValue()
            self.objectID = id
            self.unmanagedContext = context
        case .description:
            self.plan = ObjectPlan.none
            self.objectID = ObjectPlan.noID
            self.status = .planless
        case .recording(let recorder):
            self.plan = ObjectPlan.none
            self.objectID = ObjectPlan.noID
            self.status = .planless
            self.extras = ObjectExtras(recorder: recorder)
        }
    }

    /// Creates an object of the class's entity in a context.
    ///
    /// The object gets its default values and ``awakeFromInsert()`` is called. No I/O.
    ///
    /// - Precondition: The context's model has an entity with this class, and it is not abstract.
    public required convenience init(context: ManagedObjectContext) {
        let seed = context.seedForInsertion(of: Self.self)
        cachestore_property_cursor_reset()
        self.init(seed: seed)
        context.finishInsertion(of: self)
    }

    deinit {
        unmanagedContext?._withUnsafeGuaranteedRef { $0.forget(self) }
    }

    /// The place in the context's list of objects with unsaved changes; -1 if not in it.
    final var pendingIndex: Int {
        @inline(__always) get { Int(storedPendingIndex) }
        @inline(__always) set { storedPendingIndex = Int32(truncatingIfNeeded: newValue) }
    }

    // MARK: - The entity of a class

    /// The name of the class's entity: the name of the class, unless overridden.
    open class var entityName: String { String(describing: self) }
    /// Whether there are objects of subclasses only.
    ///
    /// Swift hands an override on to subclasses. A class without subclasses in the model is never
    /// abstract; one in the middle that has objects overrides this again.
    open class var isAbstractEntity: Bool { false }
    /// Lists of properties whose values together are unique among the saved objects.
    ///
    /// ```swift
    /// override class var uniquenessConstraints: [[AnyKeyPath]] { [[\Version.package, \Version.number]] }
    /// ```
    open class var uniquenessConstraints: [[AnyKeyPath]] { [] }
    /// Lists of properties that the store keeps an index over.
    open class var indexes: [[AnyKeyPath]] { [] }
    /// The name the entity had in an older version of the model.
    open class var originalEntityName: String? { nil }

    // MARK: - Hooks

    /// Called once, when the object has been inserted and has its default values.
    open func awakeFromInsert() {}
    /// Called when the object has been loaded from the store. Changes made here are not tracked as
    /// unsaved unless they differ from what was loaded.
    open func awakeFromFetch() {}
    /// Called before the object is saved; may change it, and is then called again until nothing
    /// changes any more.
    open func willSave() {}
    /// Called after the object has been saved.
    open func didSave() {}
    /// Called before the object is deleted, while its relationships still stand.
    open func prepareForDeletion() {}
    /// Checks a new object before it is saved. An override calls `super`, which checks the rules of the model.
    ///
    /// - Throws: ``ValidationError`` for each rule that is broken, collected in one error.
    open func validateForInsert() throws { try validateProperties() }
    /// Checks a changed object before it is saved. An override calls `super`.
    ///
    /// - Throws: ``ValidationError``.
    open func validateForUpdate() throws { try validateProperties() }
    /// Checks whether the object may be deleted. An override calls `super`, which checks the delete
    /// rule "deny".
    ///
    /// - Throws: ``ValidationError``.
    open func validateForDelete() throws { try validateDenyRules() }
}

extension ManagedObject: Hashable {
    /// Returns whether two references are to the same object.
    public static func == (first: ManagedObject, second: ManagedObject) -> Bool { first === second }

    /// Hashes the identity of the object.
    public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
