// SPDX-License-Identifier: MIT

import CacheStoreModel
import Foundation

/// The conversion of one predicate: the variables in scope, and the steps all nodes share.
package struct Conversion {
    let model: ManagedObjectModel
    let hooks: BridgeHooks
    private var variables: [(key: PredicateExpressions.VariableID, meaning: Converted)]
    private var lastScope = 0

    init(
        model: ManagedObjectModel, hooks: BridgeHooks, variable: PredicateExpressions.VariableID,
        entity: Entity
    ) {
        self.model = model
        self.hooks = hooks
        variables = [(variable, .object(ObjectReference(scope: 0, entityIndex: entity.index)))]
    }

    // MARK: - Nodes

    mutating func convert(_ node: some PredicateExpression) throws -> Converted {
        guard let convertible = node as? any QueryConvertible else {
            throw unsupported(node, "this kind of expression cannot be evaluated by a store")
        }
        return try convertible.convert(&self)
    }

    /// The node as a single value.
    mutating func scalar(_ node: some PredicateExpression) throws -> QueryExpression {
        try scalar(convert(node), of: node)
    }

    func scalar(
        _ converted: Converted, of node: some PredicateExpression
    ) throws -> QueryExpression {
        switch converted {
        case .value(let expression): return expression
        case .object(let reference): return reference.expression
        case .captured(let value): return .constant(try propertyValue(of: value, in: node))
        case .toMany:
            throw unsupported(node, "a to-many relationship is not a single value")
        case .range:
            throw unsupported(node, "a range is not a single value")
        case .numberOfMatches:
            throw unsupported(node, "the number of filtered objects can only be compared with 0")
        case .textOrder:
            throw unsupported(node, "an order of texts can only be compared with .orderedSame")
        }
    }

    /// What a node without variables in it comes to: Foundation evaluates it.
    func folded(_ node: some PredicateExpression) throws -> Converted {
        do {
            return .captured(try node.evaluate(PredicateBindings()))
        } catch {
            throw unsupported(node, "the captured values cannot be evaluated")
        }
    }

    // MARK: - Variables

    mutating func makeScope() -> Int {
        lastScope += 1
        return lastScope
    }

    func meaning(
        of key: PredicateExpressions.VariableID, in node: some PredicateExpression
    ) throws -> Converted {
        guard let variable = variables.last(where: { $0.key == key }) else {
            throw unsupported(node, "the variable does not belong to this predicate")
        }
        return variable.meaning
    }

    /// Converts a node in which a variable has a meaning.
    mutating func convert(
        _ node: some PredicateExpression, binding key: PredicateExpressions.VariableID,
        to meaning: Converted
    ) throws -> Converted {
        variables.append((key, meaning))
        defer { variables.removeLast() }
        return try convert(node)
    }

    // MARK: - Errors

    /// The error for a node, which it names by its type: a description would show values.
    func unsupported(_ node: any PredicateExpression, _ reason: String) -> QueryError {
        QueryError(
            .unsupportedExpression, reason, expression: String(describing: type(of: node)))
    }
}
