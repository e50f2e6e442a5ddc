// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery

/// An object as the evaluation of a predicate reads it: with its unsaved values.
struct QueriedObject: QueryObject {
    let object: ManagedObject

    var queryID: ManagedObjectID { object.objectID }

    private func property(_ index: Int) -> Property? {
        let properties = object.plan.entity.properties
        return index < properties.count ? properties[index] : nil
    }

    func queryValue(ofProperty index: Int) -> PropertyValue {
        property(index).map { object.value(of: $0) } ?? .null
    }

    func queryObject(toOne index: Int) -> (any QueryObject)? {
        property(index).flatMap { object.toOne($0) }.map { QueriedObject(object: $0) }
    }

    func queryObjects(toMany index: Int) -> [any QueryObject] {
        property(index).map { object.toMany($0).map { QueriedObject(object: $0) } } ?? []
    }
}
