// SPDX-License-Identifier: MIT

public import Foundation

/// The value of one property of one object, as data that can cross threads.
///
/// This is the form values have between an object and its store, in change sets, and in dynamic
/// access by name. The size is 24 bytes, so that a value in an existential box or an array needs no
/// allocation of its own.
public enum PropertyValue: Sendable, Hashable {
    /// No value.
    case null
    /// An integer of any width.
    case integer(Int64)
    /// A Boolean.
    case boolean(Bool)
    /// A floating-point number, also for `Float` attributes.
    case double(Double)
    /// Text.
    case string(String)
    /// A point in time.
    case date(Date)
    /// Bytes: binary data, or the encoded form of a transformable value.
    case data(Data)
    /// An exact decimal number.
    case decimal(Decimal)
    /// A universally unique identifier.
    case uuid(UUID)
    /// A URL.
    case url(URL)
    /// The other end of a to-one relationship.
    case object(ManagedObjectID)

    /// A Boolean value that tells whether there is no value.
    public var isNull: Bool {
        if case .null = self { return true }
        return false
    }

    /// Whether a value of this case may stand in an attribute of the given type.
    ///
    /// Ranges are not looked at here; a number outside its type's range is a validation error.
    package func fits(_ type: AttributeType) -> Bool {
        switch (self, type.kind) {
        case (.null, _): true
        case (.integer, _): type.integerRange != nil
        case (.boolean, .boolean): true
        case (.double, .double), (.double, .float): true
        case (.string, .string): true
        case (.date, .date): true
        case (.data, .binaryData), (.data, .transformable): true
        // A UInt64 above Int64.max travels as a decimal, and fails validation, not the setter.
        case (.decimal, .decimal), (.decimal, .unsignedInteger64): true
        case (.uuid, .uuid): true
        case (.url, .url): true
        default: false
        }
    }
}
