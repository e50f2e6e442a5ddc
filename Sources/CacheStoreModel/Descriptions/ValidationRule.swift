// SPDX-License-Identifier: MIT

public import Foundation

/// A condition on one attribute's value, checked when its object is saved.
///
/// A missing value satisfies every rule; whether a value may be missing is for
/// ``AttributeDescription/isOptional`` to say.
public struct ValidationRule: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case minimum(Double)
        case maximum(Double)
        case earliest(Date)
        case latest(Date)
        case minimumLength(Int)
        case maximumLength(Int)
        case regularExpression(String)
    }

    package let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    /// A number is at least this.
    public static func minimum(_ value: Double) -> ValidationRule {
        ValidationRule(.minimum(value))
    }
    /// A number is at most this.
    public static func maximum(_ value: Double) -> ValidationRule {
        ValidationRule(.maximum(value))
    }
    /// A date is not before this.
    public static func earliest(_ date: Date) -> ValidationRule { ValidationRule(.earliest(date)) }
    /// A date is not after this.
    public static func latest(_ date: Date) -> ValidationRule { ValidationRule(.latest(date)) }
    /// A text has at least this many characters, data at least this many bytes.
    public static func minimumLength(_ length: Int) -> ValidationRule {
        ValidationRule(.minimumLength(length))
    }
    /// A text has at most this many characters, data at most this many bytes.
    public static func maximumLength(_ length: Int) -> ValidationRule {
        ValidationRule(.maximumLength(length))
    }
    /// The whole text matches this regular expression (ICU syntax).
    public static func matches(_ pattern: String) -> ValidationRule {
        ValidationRule(.regularExpression(pattern))
    }
}
