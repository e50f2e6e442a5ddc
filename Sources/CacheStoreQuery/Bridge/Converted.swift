// SPDX-License-Identifier: MIT

import CacheStoreModel

/// What a node of a predicate comes to.
package enum Converted {
    /// An attribute's value, or something calculated.
    case value(QueryExpression)
    /// The object of a scope, or one that to-one relationships lead to from there.
    case object(ObjectReference)
    /// The objects of a to-many relationship.
    case toMany(ToManyReference)
    /// A value that does not depend on any object.
    case captured(Any)
    case range(lower: QueryExpression, upper: QueryExpression, isClosed: Bool)
    /// How many objects satisfy a condition, given as whether any does: enough for `> 0`.
    case numberOfMatches(exists: QueryExpression)
    /// The outcome of comparing two texts, to be compared with an order.
    case textOrder(QueryExpression, QueryExpression, TextOptions)
}

package struct ObjectReference {
    var scope: Int
    var steps: [PropertyPath.Step] = []
    var entityIndex: Int

    /// The object as a value: its identity.
    var expression: QueryExpression {
        steps.isEmpty
            ? .object(scope: scope) : .property(PropertyPath(scope: scope, steps: steps))
    }
}

package struct ToManyReference {
    var path: PropertyPath
    var destinationIndex: Int
    /// The objects that are meant, where not all are, as a condition on those of the scope.
    var filter: (scope: Int, condition: QueryExpression)?
}
