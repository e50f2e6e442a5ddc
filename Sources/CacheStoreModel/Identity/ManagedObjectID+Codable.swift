// SPDX-License-Identifier: MIT

import Foundation

extension ManagedObjectID: Codable {
    /// Encodes the URI form of the ID.
    ///
    /// Being `Codable` also lets predicates capture IDs.
    ///
    /// - Throws: `EncodingError` for a temporary ID, which means nothing outside of this process.
    public func encode(to encoder: any Encoder) throws {
        guard !isTemporaryID else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "the object has not been saved, its ID is temporary"))
        }
        var container = encoder.singleValueContainer()
        try container.encode(uriRepresentation)
    }

    /// Decodes the URI form of an ID. The store must have been opened by this process before.
    ///
    /// - Throws: `DecodingError` if the text is no such URI, or its store or entity is not known.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let uri = try container.decode(URL.self)
        guard let parts = Self.parse(uri), let store = parts.storeIdentifier, parts.key > 0 else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not the URI of a saved object")
        }
        guard let space = IdentitySpace.space(of: store, withEntity: parts.entityName),
            let entity = space.model.entity(named: parts.entityName)
        else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "the object's store has not been opened")
        }
        self.init(space: space, entityIndex: entity.index, key: parts.key)
    }
}
