// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import Foundation

extension FetchRequest {
    /// The request with every name and key path resolved.
    func storeQuery(in graphModel: GraphModel) throws -> StoreQuery {
        let model = graphModel.model
        let entity = try entity(in: graphModel)
        if let fetchLimit, fetchLimit < 0 {
            throw ContextError(.invalidRequest, "the fetch limit is negative")
        }
        guard fetchOffset >= 0 else {
            throw ContextError(.invalidRequest, "the fetch offset is negative")
        }
        let hooks = BridgeHooks(
            resolve: { keyPath, entity in
                if keyPath == \ManagedObject.objectID || keyPath == \Result.objectID { return [] }
                return try graphModel.steps(
                    of: keyPath, from: graphModel.plans[entity.index].objectClass)
            },
            captured: { value in
                if let id = value as? ManagedObjectID { return .object(id) }
                if let object = value as? ManagedObject { return .object(object.objectID) }
                return (value as? any AttributeConvertible)?.propertyValue
            })
        var shape: (shape: QueryShape, parameters: [PropertyValue])?
        var conditions: [QueryExpression] = []
        if let predicate {
            let outline = condition == nil ? PredicateOutline(predicate) : nil
            if let outline, let known = graphModel.shapes.shape(of: outline, entity: entity) {
                shape = (known, outline.values)
            } else {
                let expression = try QueryExpression(
                    predicate, entity: entity, model: model, hooks: hooks)
                conditions.append(expression)
                if let outline {
                    graphModel.shapes.remember(expression, outline: outline, entity: entity)
                }
            }
        }
        if let condition {
            conditions.append(try condition.expression(for: entity, in: model))
        }
        var sort: [SortKey] = []
        for descriptor in sortDescriptors {
            sort.append(try SortKey(descriptor, entity: entity, model: model, hooks: hooks))
        }
        for key in sortKeys {
            let path = try PropertyPath(key.name, from: entity, in: model)
            guard path.property(in: model)?.attribute != nil else {
                throw ContextError(
                    .invalidRequest, "only attributes can be sorted by", properties: [key.name])
            }
            sort.append(SortKey(path: path, isAscending: key.ascending))
        }
        var query = StoreQuery(
            entity: entity, includesSubentities: includesSubentities,
            predicate: conditions.count > 1 ? .and(conditions) : conditions.first, sort: sort,
            limit: fetchLimit, offset: fetchOffset)
        if let shape { query.setCondition(shape.shape, parameters: shape.parameters) }
        return query
    }

    private func entity(in graphModel: GraphModel) throws -> Entity {
        if let entityName { return try graphModel.model.requiredEntity(named: entityName) }
        guard let entity = graphModel.entity(of: Result.self) else {
            throw ModelError(
                .unknownEntity, "no entity of the model has this class", entity: Result.entityName)
        }
        return entity
    }
}
