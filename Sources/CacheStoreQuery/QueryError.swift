// SPDX-License-Identifier: MIT

/// Why a predicate or a sort descriptor cannot be used in a fetch.
///
/// What a store cannot evaluate is refused before anything runs; it is never evaluated silently in
/// memory over a whole table. The message names the part that is to blame and never a value.
public struct QueryError: Error, Sendable, Hashable {
    /// What kind of mistake it is.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case unsupportedExpression, unknownKeyPath, typeMismatch, invalidPattern
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The expression has no counterpart that a store could evaluate.
        public static let unsupportedExpression = Code(.unsupportedExpression)
        /// A key path leads to something that is no property of the entity.
        public static let unknownKeyPath = Code(.unknownKeyPath)
        /// A property or a value has a type that the expression cannot work with.
        public static let typeMismatch = Code(.typeMismatch)
        /// A regular expression is malformed.
        public static let invalidPattern = Code(.invalidPattern)

        /// The name of the code.
        public var description: String { kind.rawValue }
    }

    /// What kind of mistake it is.
    public let code: Code
    /// What is wrong, in words.
    public let message: String
    /// The part of the predicate that is to blame, as its Swift type or key path.
    public let expression: String?

    package init(_ code: Code, _ message: String, expression: String? = nil) {
        self.code = code
        self.message = message
        self.expression = expression
    }
}

extension QueryError.Code {
    /// Lets a code be used as the pattern of a `catch` clause.
    public static func ~= (code: QueryError.Code, error: any Error) -> Bool {
        (error as? QueryError)?.code == code
    }
}

extension QueryError: CustomStringConvertible {
    /// The code, the message and the part that is to blame.
    public var description: String {
        guard let expression else { return "\(code): \(message)" }
        return "\(code): \(message): \(expression)"
    }
}
