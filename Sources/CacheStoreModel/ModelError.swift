// SPDX-License-Identifier: MIT

/// What is wrong with a model, or with a name that it was asked for.
public struct ModelError: Error, Sendable, Hashable {
    /// What kind of mistake it is.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case duplicateName, invalidName, unknownEntity, unknownProperty, inheritanceCycle
            case contradictoryInverse, wrongType, invalidDefault, invalidConstraint, unsupported
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// Two entities, or two properties of one entity, have the same name.
        public static let duplicateName = Code(.duplicateName)
        /// A name is not a letter or underscore followed by letters, digits and underscores.
        public static let invalidName = Code(.invalidName)
        /// An entity is named that the model does not have.
        public static let unknownEntity = Code(.unknownEntity)
        /// A property is named that the entity does not have.
        public static let unknownProperty = Code(.unknownProperty)
        /// An entity inherits from itself.
        public static let inheritanceCycle = Code(.inheritanceCycle)
        /// Two relationships do not agree that they are each other's inverse.
        public static let contradictoryInverse = Code(.contradictoryInverse)
        /// A value or a Swift property has another type than the attribute.
        public static let wrongType = Code(.wrongType)
        /// A default value does not have the attribute's type.
        public static let invalidDefault = Code(.invalidDefault)
        /// A uniqueness constraint or index names something that cannot be in one.
        public static let invalidConstraint = Code(.invalidConstraint)
        /// The declaration asks for something that stores do not do.
        public static let unsupported = Code(.unsupported)

        /// The name of the code.
        public var description: String { kind.rawValue }
    }

    /// What kind of mistake it is.
    public let code: Code
    /// What is wrong, in words.
    public let message: String
    /// The entity concerned.
    public let entity: String?
    /// The property concerned.
    public let property: String?

    package init(_ code: Code, _ message: String, entity: String? = nil, property: String? = nil) {
        self.code = code
        self.message = message
        self.entity = entity
        self.property = property
    }

    /// Lets a code be used as a pattern: `catch ModelError.Code.unknownEntity`.
    public static func ~= (code: Code, error: ModelError) -> Bool { code == error.code }
}

extension ModelError.Code {
    /// Lets a code be used as the pattern of a `catch` clause.
    public static func ~= (code: ModelError.Code, error: any Error) -> Bool {
        (error as? ModelError)?.code == code
    }
}

extension ModelError: CustomStringConvertible {
    /// The place, the code and the message.
    public var description: String {
        let place = [entity, property].compactMap { $0 }.joined(separator: ".")
        return place.isEmpty ? "\(code): \(message)" : "\(code) at \(place): \(message)"
    }
}
