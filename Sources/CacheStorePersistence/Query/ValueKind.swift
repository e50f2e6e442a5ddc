// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery

/// What a part of a query is known to give, besides "no value": it decides which SQL compares it.
enum ValueKind: Hashable {
    case null
    case integer
    case real
    case decimal
    /// A number of a kind that is known only when the query runs.
    case number
    case text
    case bytes
    /// A key in the hierarchy of this root.
    case object(root: Int)
    /// A compressed or external value: only its presence can be asked for.
    case opaque
    /// Anything.
    case unknown

    init(_ value: PropertyValue) {
        switch value {
        case _ where value.isQueryNull: self = .null
        case .null: self = .null
        case .integer, .boolean: self = .integer
        case .double, .date: self = .real
        case .decimal: self = .decimal
        case .string, .url: self = .text
        case .data, .uuid: self = .bytes
        case .object(let id): self = .object(root: id.resolvedEntity.rootIndex)
        }
    }

    init(_ attribute: AttributeDescription) {
        if !attribute.options.isDisjoint(with: [.compressed, .externalStorage]) {
            self = .opaque
            return
        }
        switch attribute.type.kind {
        case .double, .float, .date: self = .real
        case .decimal: self = .decimal
        case .string, .url: self = .text
        case .binaryData, .uuid, .transformable: self = .bytes
        default: self = .integer
        }
    }

    var isNumber: Bool {
        switch self {
        case .integer, .real, .decimal, .number: true
        default: false
        }
    }

    /// Whether values may be decimals, which SQL sees as text.
    var mayBeDecimal: Bool { self == .decimal || self == .number }

    /// The place of the kind among the others: numbers, text, bytes, objects; `nil` if unknown.
    var rank: Int? {
        switch self {
        case .integer, .real, .decimal, .number: 0
        case .text: 1
        case .bytes: 2
        case .object(let root): 3 + root
        case .null, .opaque, .unknown: nil
        }
    }

    /// The kind of a value that is of one kind or the other.
    func merged(with other: ValueKind) -> ValueKind {
        if self == other || other == .null { return self }
        if self == .null { return other }
        if isNumber && other.isNumber { return .number }
        return .unknown
    }

    /// The kind of a calculation's result.
    static func result(
        of operation: ArithmeticOperator, _ first: ValueKind, _ second: ValueKind
    ) -> ValueKind {
        guard first.isNumber || first == .unknown, second.isNumber || second == .unknown else {
            return .null
        }
        switch (first, second) {
        case (.integer, .integer): return .integer
        case (.real, _), (_, .real): return .real
        case (.decimal, .decimal), (.decimal, .integer), (.integer, .decimal): return .decimal
        default: return .number
        }
    }
}
