// SPDX-License-Identifier: MIT

public import CacheStoreModel

/// What a context could not do.
public struct ContextError: Error, Sendable {
    /// What kind of failure it is.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case objectNotFound, noStore, mergeConflict, constraintConflict, saveInProgress
            case willSaveNeverEnds, invalidRequest
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// There is no object with the ID.
        public static let objectNotFound = Code(.objectNotFound)
        /// The coordinator has no store.
        public static let noStore = Code(.noStore)
        /// Rows were changed or deleted by another since they were loaded.
        public static let mergeConflict = Code(.mergeConflict)
        /// A uniqueness constraint would be violated.
        public static let constraintConflict = Code(.constraintConflict)
        /// A hook tried to save the context that is being saved.
        public static let saveInProgress = Code(.saveInProgress)
        /// `willSave` changed something each time it was called.
        public static let willSaveNeverEnds = Code(.willSaveNeverEnds)
        /// A fetch request asks for something that makes no sense.
        public static let invalidRequest = Code(.invalidRequest)

        /// The name of the code.
        public var description: String { kind.rawValue }

        /// Lets a code be used as the pattern of a `catch` clause.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? ContextError)?.code == code
        }
    }

    /// What kind of failure it is.
    public let code: Code
    /// What happened, in words.
    public let message: String
    /// The objects concerned; ``ManagedObjectContext/discard(_:)`` takes them.
    public let objects: [ManagedObjectID]
    /// The properties whose values are not unique, where that is the failure.
    public let properties: [String]

    package init(
        _ code: Code, _ message: String, objects: [ManagedObjectID] = [], properties: [String] = []
    ) {
        self.code = code
        self.message = message
        self.objects = objects
        self.properties = properties
    }
}

extension ContextError: CustomStringConvertible {
    /// The code, the message and how many objects are concerned.
    public var description: String {
        var text = "\(code): \(message)"
        if !properties.isEmpty { text += " (\(properties.joined(separator: ", ")))" }
        if let first = objects.first {
            text += objects.count == 1 ? " – \(first)" : " – \(first) and \(objects.count - 1) more"
        }
        return text
    }
}
