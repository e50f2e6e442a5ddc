// SPDX-License-Identifier: MIT

public import CacheStoreModel

/// Why objects cannot be saved: every rule that is broken, one failure for each property.
///
/// ```swift
/// do {
///     try context.save()
/// } catch let error as ValidationError {
///     context.discard(error.failures.map(\.objectID))   // give the offenders up
///     try context.save()
/// }
/// ```
public struct ValidationError: Error, Sendable {
    /// Which rule is broken.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case missingValue, wrongType, numberTooSmall, numberTooLarge, dateTooSoon, dateTooLate
            case stringTooShort, stringTooLong, patternMismatch, tooFewObjects, tooManyObjects
            case deletionDenied, custom
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// A required property has no value.
        public static let missingValue = Code(.missingValue)
        /// A value is not of the attribute's type.
        public static let wrongType = Code(.wrongType)
        /// A number is below its minimum or the range of its type.
        public static let numberTooSmall = Code(.numberTooSmall)
        /// A number is above its maximum or the range of its type.
        public static let numberTooLarge = Code(.numberTooLarge)
        /// A date is before its earliest.
        public static let dateTooSoon = Code(.dateTooSoon)
        /// A date is after its latest.
        public static let dateTooLate = Code(.dateTooLate)
        /// A text or data is shorter than its minimum.
        public static let stringTooShort = Code(.stringTooShort)
        /// A text or data is longer than its maximum.
        public static let stringTooLong = Code(.stringTooLong)
        /// A text does not match its regular expression, or the expression itself is malformed.
        public static let patternMismatch = Code(.patternMismatch)
        /// A relationship has fewer members than its minimum.
        public static let tooFewObjects = Code(.tooFewObjects)
        /// A relationship has more members than its maximum.
        public static let tooManyObjects = Code(.tooManyObjects)
        /// An object is to be deleted while a relationship with the rule "deny" has members.
        public static let deletionDenied = Code(.deletionDenied)
        /// A rule of the program's own.
        public static let custom = Code(.custom)

        /// The name of the code.
        public var description: String { kind.rawValue }

        /// Lets a code be used as the pattern of a `catch` clause: some failure has it.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? ValidationError)?.failures.contains { $0.code == code } ?? false
        }
    }

    /// One broken rule.
    public struct Failure: Sendable, Hashable {
        /// Which rule is broken.
        public let code: Code
        /// The object.
        public let objectID: ManagedObjectID
        /// The property; `nil` for a rule about the whole object.
        public let property: String?
        /// What is wrong, in words, without the value.
        public let message: String

        /// Creates a failure of a rule of the program's own.
        public init(
            _ code: Code = .custom, _ object: ManagedObject, property: String? = nil,
            message: String
        ) {
            self.code = code
            self.objectID = object.objectID
            self.property = property
            self.message = message
        }
    }

    /// The broken rules, at least one.
    public let failures: [Failure]

    /// Creates an error from failures.
    public init(_ failures: [Failure]) { self.failures = failures }

    /// Creates an error from one failure of a rule of the program's own.
    public init(_ object: ManagedObject, property: String? = nil, message: String) {
        self.init([Failure(.custom, object, property: property, message: message)])
    }
}

extension ValidationError: CustomStringConvertible {
    /// One line for each failure: entity, property, code and message.
    public var description: String {
        failures.map {
            "\($0.objectID.entityName)\($0.property.map { "." + $0 } ?? ""): \($0.message) (\($0.code))"
        }.joined(separator: "\n")
    }
}
