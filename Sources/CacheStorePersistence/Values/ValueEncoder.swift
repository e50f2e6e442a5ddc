// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreProcess
import Foundation

/// Gives the values of compressed and external attributes their stored form, and writes the files
/// of external ones.
struct ValueEncoder {
    /// From this size on a value of an external attribute is a file.
    static let externalThreshold = 100 * 1024

    let files: ExternalFiles?
    /// The files written so far: to be removed if the save fails.
    private(set) var written: [UUID] = []
    /// The lock of the files' directory, once a file was written: to be kept until the save has ended.
    private(set) var lock: FileLock?

    init(files: ExternalFiles?) { self.files = files }

    /// The change set with every value of an opaque attribute as text, or as encoded data.
    ///
    /// - Throws: when a file cannot be written; ``written`` then has those that were.
    mutating func encode(_ changes: ChangeSet, in model: ManagedObjectModel) throws -> ChangeSet {
        let opaque = model.entities.map { Self.opaqueProperties(of: $0) }
        guard opaque.contains(where: { !$0.isEmpty }) else { return changes }
        var changes = changes
        for index in changes.inserted.indices {
            for property in opaque[Int(changes.inserted[index].id.entityIndex)] {
                let value = changes.inserted[index].values[property.index]
                changes.inserted[index].values[property.index] = try encode(value, property)
            }
        }
        for index in changes.updated.indices {
            let update = changes.updated[index]
            for property in opaque[Int(update.id.entityIndex)]
            where update.changed.contains(property.index) {
                changes.updated[index].values[property.index] = try encode(
                    update.values[property.index], property)
            }
        }
        return changes
    }

    static func opaqueProperties(of entity: Entity) -> [Property] {
        entity.properties.filter { property in
            guard let attribute = property.attribute, property.column != nil else { return false }
            return !attribute.options.isDisjoint(with: [.compressed, .externalStorage])
        }
    }

    private mutating func encode(
        _ value: PropertyValue, _ property: Property
    ) throws -> PropertyValue {
        let options = property.attribute?.options ?? []
        let bytes: Data
        var isText = false
        switch value {
        case .string(let text):
            bytes = Data(text.utf8)
            isText = true
        case .data(let data): bytes = data
        default: return value
        }
        let stream = options.contains(.compressed) ? Deflate.compress(bytes) : nil
        if options.contains(.externalStorage), let files,
            (stream ?? bytes).count >= Self.externalThreshold
        {
            let reference = EncodedValue.ExternalReference(
                name: UUID(), originalLength: UInt64(bytes.count),
                checksum: Deflate.checksum(stream ?? bytes), isDeflated: stream != nil)
            if written.isEmpty {
                try files.makeDirectory()
                lock = try files.lock(.shared)
                files.setMark()
            }
            written.append(reference.name)
            try files.write(stream ?? bytes, name: reference.name)
            return .data(EncodedValue.external(reference).encoded)
        }
        if let stream {
            return .data(
                EncodedValue.deflated(stream, originalLength: UInt64(bytes.count)).encoded)
        }
        return isText ? value : .data(EncodedValue.raw(bytes).encoded)
    }
}
