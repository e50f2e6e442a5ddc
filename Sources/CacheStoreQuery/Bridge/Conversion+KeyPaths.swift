// SPDX-License-Identifier: MIT

import CacheStoreModel
import Foundation

extension Conversion {
    /// What a key path leads to from an object.
    func follow(_ keyPath: AnyKeyPath, from reference: ObjectReference) throws -> Converted {
        var reference = reference
        let steps = try Self.resolve(
            keyPath, from: model.entities[reference.entityIndex], hooks: hooks)
        for (position, step) in steps.enumerated() {
            let property = model.entities[step.entityIndex].properties[step.propertyIndex]
            reference.steps.append(step)
            if let relationship = property.relationship, !property.isToMany {
                reference.entityIndex = relationship.destinationIndex
                continue
            }
            guard position == steps.count - 1 else {
                throw QueryError(
                    .typeMismatch,
                    "the key path goes on behind a property that is no single object",
                    expression: String(describing: keyPath))
            }
            let path = PropertyPath(scope: reference.scope, steps: reference.steps)
            guard let relationship = property.relationship else { return .value(.property(path)) }
            return .toMany(
                ToManyReference(path: path, destinationIndex: relationship.destinationIndex))
        }
        return .object(reference)
    }

    static func resolve(
        _ keyPath: AnyKeyPath, from entity: Entity, hooks: BridgeHooks
    ) throws -> [PropertyPath.Step] {
        do {
            return try hooks.resolve(keyPath, entity)
        } catch let error as QueryError {
            throw error
        } catch {
            throw QueryError(
                .unknownKeyPath, "the key path leads to no property of \(entity.name)",
                expression: String(describing: keyPath))
        }
    }

    /// Refuses the key paths of sort descriptors such as `\.title.count` in one piece: resolving sees the property and not
    /// what is done with its value.
    static func checkValueType(of keyPath: AnyKeyPath, leadingTo property: Property) throws {
        let valueType = type(of: keyPath).valueType
        guard valueType == Int.self || valueType == Bool.self else { return }
        guard property.isToMany || property.attribute?.type == .string else { return }
        throw QueryError(
            .typeMismatch, "the key path goes on behind the property \(property.name)",
            expression: String(describing: keyPath))
    }
}
