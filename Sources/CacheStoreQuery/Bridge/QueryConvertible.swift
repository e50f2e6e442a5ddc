// SPDX-License-Identifier: MIT

package import CacheStoreModel
package import Foundation

/// A node of Foundation's predicates that the bridge can turn into a query.
///
/// The nodes are generic structs; conforming each to this and casting to it walks a predicate
/// without knowing its type. Each operand is cast where it is converted, not required to conform, so
/// that the error names the one node that is not supported.
package protocol QueryConvertible {
    func convert(_ conversion: inout Conversion) throws -> Converted
}

extension QueryExpression {
    /// Converts a predicate over the objects of an entity.
    ///
    /// - Throws: ``QueryError`` with code `unsupportedExpression`, `unknownKeyPath`,
    ///   `typeMismatch` or `invalidPattern`.
    package init<Object>(
        _ predicate: Predicate<Object>, entity: Entity, model: ManagedObjectModel,
        hooks: BridgeHooks
    ) throws {
        var conversion = Conversion(
            model: model, hooks: hooks, variable: predicate.variable.key, entity: entity)
        self = try conversion.scalar(predicate.expression)
    }
}
