// SPDX-License-Identifier: MIT

import CacheStore
import Foundation

/// What works save and look for.
protocol Numbered: ManagedObject {
    var number: Int { get set }
    var text: String { get set }
    var picture: Data? { get set }
}

/// The entity of the works.
final class Item: ManagedObject, Numbered {
    @Attribute(.indexed) var number: Int
    @Attribute var text: String
    @Attribute(.externalStorage) var picture: Data?

    static let model = ManagedObjectModel(Item.self)
}

/// The same entity in a later model: one attribute more, another type, and another index.
final class LaterItem: ManagedObject, Numbered {
    @Attribute(.indexed) var number: Int
    @Attribute(.indexed) var text: String
    @Attribute(.externalStorage) var picture: Data?
    @Attribute var rating: Double = 1

    override class var entityName: String { "Item" }

    static let model = ManagedObjectModel(LaterItem.self)
}
