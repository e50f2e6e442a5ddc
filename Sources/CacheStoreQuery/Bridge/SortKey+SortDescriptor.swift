// SPDX-License-Identifier: MIT

package import CacheStoreModel
package import Foundation

extension SortKey {
    /// Converts a sort descriptor over the objects of an entity.
    ///
    /// Foundation's default for text is `.localizedStandard` on Darwin. On Linux it has no localized
    /// comparators: the default compares text by its scalars, as `.lexical` does, and both become
    /// the comparison by bytes, which gives the same order for all texts in the same normal form.
    ///
    /// - Throws: ``QueryError`` with code `unknownKeyPath` or `typeMismatch`.
    package init<Object>(
        _ descriptor: SortDescriptor<Object>, entity: Entity, model: ManagedObjectModel,
        hooks: BridgeHooks
    ) throws {
        guard let keyPath = descriptor.keyPath else {
            throw QueryError(
                .unsupportedExpression, "the sort descriptor has no key path",
                expression: String(describing: SortDescriptor<Object>.self))
        }
        let steps = try Conversion.resolve(keyPath, from: entity, hooks: hooks)
        for (position, step) in steps.enumerated() {
            let property = model.entities[step.entityIndex].properties[step.propertyIndex]
            let isLast = position == steps.count - 1
            guard isLast ? property.attribute != nil : property.relationship != nil,
                !property.isToMany
            else {
                throw QueryError(
                    .typeMismatch,
                    "only an attribute, through to-one relationships, can be sorted by",
                    expression: String(describing: keyPath))
            }
            if isLast { try Conversion.checkValueType(of: keyPath, leadingTo: property) }
        }
        guard !steps.isEmpty else {
            throw QueryError(
                .typeMismatch, "objects cannot be sorted by their ID",
                expression: String(describing: keyPath))
        }
        self.init(
            path: PropertyPath(steps: steps), isAscending: descriptor.order == .forward,
            comparison: Self.comparison(descriptor.stringComparator))
    }

    private static func comparison(
        _ comparator: String.StandardComparator?
    ) -> Comparison {
        #if canImport(Darwin)
            switch comparator {
            case .localizedStandard?: return .localizedStandard
            case .localized?: return .localized
            default: return .binary
            }
        #else
            return .binary
        #endif
    }
}
