// SPDX-License-Identifier: MIT

package import CacheStoreModel

/// An object or a row, as the evaluation of queries reads it.
package protocol QueryObject {
    var queryID: ManagedObjectID { get }

    /// The value of an attribute, or the ID at the other end of a to-one relationship (also where
    /// the object itself is gone).
    func queryValue(ofProperty index: Int) -> PropertyValue
    /// The object at the other end of a to-one relationship; `nil` for none or one that is gone.
    func queryObject(toOne index: Int) -> (any QueryObject)?
    /// The objects at the other end of a to-many relationship, in any order.
    func queryObjects(toMany index: Int) -> [any QueryObject]
    func queryCount(toMany index: Int) -> Int
}

extension QueryObject {
    package func queryCount(toMany index: Int) -> Int { queryObjects(toMany: index).count }
}
