// SPDX-License-Identifier: MIT

package import CacheStoreModel

/// A predicate, or a part of one, with every name resolved against the model.
///
/// One tree stands behind `#Predicate` and every other way to write a condition. The SQLite store
/// compiles it to SQL with bound values; the in-memory evaluation runs it over objects and rows.
/// Both give the same answer for every tree:
///
/// - equality treats "no value" as a value: `null` equals `null` and nothing else;
/// - an order comparison (`<`, `<=`, `>`, `>=`) with "no value" on either side is false;
/// - arithmetic, length and text operations on "no value" give "no value", and a condition that
///   comes to "no value" is false, also under `not`: `not(x)` is true exactly where `x` is false
///   or has no value;
/// - text is compared by its UTF-8 bytes (SQLite's BINARY collation) unless folded by options;
/// - integers and floating-point numbers compare by their numeric value; decimals are compared as
///   numbers too, not as the text they are stored as.
package indirect enum QueryExpression: Sendable, Hashable {
    /// A value: always bound, never written into SQL.
    case constant(PropertyValue)
    /// The property at the end of a path of to-one relationships.
    case property(PropertyPath)
    /// The object of a scope itself, compared by identity.
    case object(scope: Int)

    case and([QueryExpression])
    case or([QueryExpression])
    case not(QueryExpression)
    case comparison(ComparisonOperator, QueryExpression, QueryExpression)
    /// A text test: the first holds the second at the start, at the end, anywhere, …
    case text(TextOperator, QueryExpression, QueryExpression, TextOptions)
    /// Whether the value is one of the values captured by the predicate.
    case isIn(QueryExpression, [PropertyValue])

    case arithmetic(ArithmeticOperator, QueryExpression, QueryExpression)
    case negative(QueryExpression)
    /// The first value unless there is none, else the second.
    case coalesce(QueryExpression, QueryExpression)
    case conditional(QueryExpression, then: QueryExpression, otherwise: QueryExpression)
    /// The number of characters (Unicode scalars) of a text.
    case length(QueryExpression)

    /// How many objects a to-many relationship has.
    case count(PropertyPath)
    /// Whether an object at the end of the to-many path satisfies the condition, in which that
    /// object is the object of the given scope.
    case exists(PropertyPath, scope: Int, QueryExpression)
    /// Whether every object at the end of the to-many path satisfies the condition.
    case all(PropertyPath, scope: Int, QueryExpression)

    /// Always true: an empty predicate.
    package static let `true` = QueryExpression.constant(.boolean(true))
}

package enum ComparisonOperator: Sendable, Hashable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

package enum ArithmeticOperator: Sendable, Hashable {
    /// `divide` between integers truncates as Swift's `/`; `remainder` is Swift's `%`. A division by
    /// zero and an integer overflow give no value.
    case add, subtract, multiply, divide, remainder
}

package enum TextOperator: Sendable, Hashable {
    case equal, contains, hasPrefix, hasSuffix
    /// A pattern with `?` for one character and `*` for any number.
    case like
    /// A regular expression that the whole text matches.
    case matches
}

/// What a text comparison looks past.
package struct TextOptions: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let caseInsensitive = TextOptions(rawValue: 1)
    package static let diacriticInsensitive = TextOptions(rawValue: 2)
}
