// SPDX-License-Identifier: MIT

package import CacheStoreModel

/// What the bridge from Foundation's predicates has to be told about a program's classes.
package struct BridgeHooks {
    /// The properties that a key path, starting at an object of the entity, leads through.
    ///
    /// No step at all means the object itself: the key path of its ID. In predicates a key path has
    /// one component (Foundation sees to that), in sort descriptors any number. An error that is no
    /// ``QueryError`` becomes one with code `unknownKeyPath`.
    package var resolve: (AnyKeyPath, Entity) throws -> [PropertyPath.Step]
    /// The value in queries of something a predicate has captured that is no basic type: an object,
    /// an enumeration or another attribute type of the program's own. `nil` for what it does not
    /// know; the bridge then tries the raw value.
    package var captured: (Any) -> PropertyValue?

    package init(
        resolve: @escaping (AnyKeyPath, Entity) throws -> [PropertyPath.Step],
        captured: @escaping (Any) -> PropertyValue? = { _ in nil }
    ) {
        self.resolve = resolve
        self.captured = captured
    }
}
