// SPDX-License-Identifier: MIT

package import CacheStoreModel
package import Foundation
import Synchronization

/// What tells apart the predicates of one program that need different SQL: the type of the expression,
/// its key paths, operators and the kinds of its captured values. And the values themselves.
///
/// Two predicates with equal keys convert to the same condition but for the values.
package struct PredicateOutline {
    package struct Key: Hashable {
        var type: ObjectIdentifier
        var marks: [Int]
    }

    package fileprivate(set) var key: Key
    package fileprivate(set) var values: [PropertyValue] = []
    /// The key paths that the key names by address: kept by whoever keeps the key.
    package fileprivate(set) var keyPaths: [AnyKeyPath] = []
    private var variables: [PredicateExpressions.VariableID] = []
    fileprivate var isKnown = true
    /// The types of the nodes in the order of the walk; as many as have been walked if they are not
    /// `areTypesKnown` yet.
    private var types: [any OutlinedExpression.Type]
    private let areTypesKnown: Bool
    private var walked = 0

    /// The types of a tree's nodes, by that of its root, which contains them all: asking the runtime
    /// for each node of each predicate what it conforms to takes longer than all else here.
    private static let knownTypes = Mutex<[ObjectIdentifier: [any OutlinedExpression.Type]]>([:])

    /// The outline of a predicate, or `nil` if it has parts that outlines do not cover.
    package init?<Object>(_ predicate: Predicate<Object>) {
        let expression: any PredicateExpression = predicate.expression
        let root = ObjectIdentifier(type(of: expression))
        let known = Self.knownTypes.withLock { $0[root] }
        types = known ?? []
        areTypesKnown = known != nil
        key = Key(type: root, marks: [])
        variables.append(predicate.variable.key)
        walk(expression)
        guard isKnown else { return nil }
        if known == nil {
            let types = types
            Self.knownTypes.withLock { $0[root] = types }
        }
    }

    fileprivate mutating func walk<Node: PredicateExpression>(_ node: Node) {
        guard isKnown else { return }
        if areTypesKnown {
            guard walked < types.count, types[walked] == Node.self else { return isKnown = false }
            let type = types[walked]
            walked += 1
            withUnsafePointer(to: node) { type.outline(UnsafeRawPointer($0), &self) }
        } else if let node = node as? any OutlinedExpression {
            types.append(type(of: node))
            node.outline(&self)
        } else {
            isKnown = false
        }
    }

    fileprivate mutating func mark(_ mark: Int) { key.marks.append(mark) }

    fileprivate mutating func add(_ keyPath: AnyKeyPath) {
        keyPaths.append(keyPath)
        mark(Int(bitPattern: Unmanaged.passUnretained(keyPath).toOpaque()))
    }

    fileprivate mutating func add(variable: PredicateExpressions.VariableID) {
        if let index = variables.firstIndex(of: variable) {
            mark(index)
        } else {
            mark(variables.count)
            variables.append(variable)
        }
    }

    fileprivate mutating func add<Value>(value: Value) {
        let property: PropertyValue
        // The types are asked for, not the value: for these a cast costs nothing.
        if Value.self == String.self {
            property = .string(unsafeBitCast(value, to: String.self))
        } else if Value.self == Int.self {
            property = .integer(Int64(unsafeBitCast(value, to: Int.self)))
        } else if Value.self == Int64.self {
            property = .integer(unsafeBitCast(value, to: Int64.self))
        } else if Value.self == Date.self {
            property = .date(unsafeBitCast(value, to: Date.self))
        } else if Value.self == UUID.self {
            property = .uuid(unsafeBitCast(value, to: UUID.self))
        } else if Value.self == Double.self {
            let double = unsafeBitCast(value, to: Double.self)
            // What is no number counts as no value, which needs other SQL.
            guard !double.isNaN else {
                isKnown = false
                return
            }
            property = .double(double)
        } else {
            isKnown = false
            return
        }
        values.append(property)
    }
}

/// A node of a predicate that outlines cover.
private protocol OutlinedExpression: SendableMetatype {
    func outline(_ outline: inout PredicateOutline)
}

extension OutlinedExpression {
    /// Outlines the node of this type that a pointer leads to.
    fileprivate static func outline(_ node: UnsafeRawPointer, _ outline: inout PredicateOutline) {
        // The caller has compared the types.
        node.assumingMemoryBound(to: Self.self).pointee.outline(&outline)
    }
}

extension PredicateExpressions.Variable: OutlinedExpression {
    fileprivate func outline(_ outline: inout PredicateOutline) { outline.add(variable: key) }
}

extension PredicateExpressions.KeyPath: OutlinedExpression {
    fileprivate func outline(_ outline: inout PredicateOutline) {
        outline.walk(root)
        outline.add(keyPath)
    }
}

extension PredicateExpressions.Value: OutlinedExpression {
    fileprivate func outline(_ outline: inout PredicateOutline) { outline.add(value: value) }
}

extension PredicateExpressions.Equal: OutlinedExpression {
    fileprivate func outline(_ outline: inout PredicateOutline) {
        outline.walk(lhs)
        outline.walk(rhs)
    }
}

extension PredicateExpressions.NotEqual: OutlinedExpression {
    fileprivate func outline(_ outline: inout PredicateOutline) {
        outline.walk(lhs)
        outline.walk(rhs)
    }
}

extension PredicateExpressions.Comparison: OutlinedExpression {
    fileprivate func outline(_ outline: inout PredicateOutline) {
        switch op {
        case .lessThan: outline.mark(1)
        case .lessThanOrEqual: outline.mark(2)
        case .greaterThan: outline.mark(3)
        case .greaterThanOrEqual: outline.mark(4)
        @unknown default: outline.isKnown = false
        }
        outline.walk(lhs)
        outline.walk(rhs)
    }
}

extension PredicateExpressions.Conjunction: OutlinedExpression {
    fileprivate func outline(_ outline: inout PredicateOutline) {
        outline.walk(lhs)
        outline.walk(rhs)
    }
}

extension PredicateExpressions.Disjunction: OutlinedExpression {
    fileprivate func outline(_ outline: inout PredicateOutline) {
        outline.walk(lhs)
        outline.walk(rhs)
    }
}

extension PredicateExpressions.Negation: OutlinedExpression {
    fileprivate func outline(_ outline: inout PredicateOutline) { outline.walk(wrapped) }
}
