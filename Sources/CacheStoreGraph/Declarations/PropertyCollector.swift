// SPDX-License-Identifier: MIT

import CCacheStoreShims
import CacheStoreModel

/// Gathers what the property wrappers of a class say of themselves, while one object of the class is
/// made for that purpose.
final class PropertyCollector {
    /// What one wrapper declares. The name is not known to the wrapper; it comes from `Mirror`.
    enum Declaration {
        case attribute(AttributeDeclaration)
        case relationship(RelationshipDeclaration)
    }

    struct AttributeDeclaration {
        var codec: AnyAttributeCodec
        var options: AttributeOptions
        var validation: [ValidationRule]
        var originalName: String?
        /// Makes the default value of one new object.
        var makeDefault: (@Sendable () -> PropertyValue)?
    }

    struct RelationshipDeclaration {
        var destination: ManagedObject.Type
        var shape: RelationshipShape
        var options: RelationshipOptions
        var deleteRule: DeleteRule
        var minimumCount: Int
        var maximumCount: Int
        var originalName: String?
        var inverse: (root: ManagedObject.Type, keyPath: AnyKeyPath)?
    }

    private(set) var declarations: [Declaration] = []

    func add(_ declaration: Declaration) { declarations.append(declaration) }

    /// The collector of the object being made on this thread, if it is made for description.
    static var current: PropertyCollector? {
        cachestore_property_cursor_collector().map {
            Unmanaged<PropertyCollector>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Makes an object and collects what its wrappers declare.
    static func describe<T>(_ make: () -> T) -> (result: T, declarations: [Declaration]) {
        let collector = PropertyCollector()
        let outer = cachestore_property_cursor_collector()
        // The collector outlives the call, and the pointer is taken back before it goes.
        cachestore_property_cursor_set_collector(Unmanaged.passUnretained(collector).toOpaque())
        cachestore_property_cursor_reset()
        defer { cachestore_property_cursor_set_collector(outer) }
        let result = withExtendedLifetime(collector) { make() }
        return (result, collector.declarations)
    }
}

/// The next wrapper's place among those of the object being made on this thread, with a higher bit
/// set if the object is made for description.
@usableFromInline
func _nextPropertyPlace() -> UInt32 { cachestore_property_cursor_advance() }
