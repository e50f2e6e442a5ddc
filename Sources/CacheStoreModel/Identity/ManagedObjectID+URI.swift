// SPDX-License-Identifier: MIT

public import Foundation

extension ManagedObjectID {
    /// The scheme of the URI form.
    package static let scheme = "x-cachestore"

    /// The ID as a URI, to be kept in files and settings.
    ///
    /// The form is `x-cachestore://<store>/<entity>/p<key>` for a saved object and
    /// `x-cachestore://<store>/<entity>/t<key>` for one that is not saved; the latter means nothing
    /// in another run of the program. `PersistentStoreCoordinator.managedObjectID(forURIRepresentation:)` turns it
    /// back.
    public var uriRepresentation: URL {
        var components = URLComponents()
        components.scheme = Self.scheme
        components.host = space.storeIdentifier?.uuidString ?? ""
        components.path = "/\(entityName)/" + (key < 0 ? "t\(-key)" : "p\(key)")
        // An entity name is a plain identifier (checked by the model), so the parts always combine.
        return components.url ?? URL(fileURLWithPath: components.path)
    }

    /// The parts of a URI made by ``uriRepresentation``, or `nil` if it is not one.
    package static func parse(
        _ uri: URL
    ) -> (storeIdentifier: UUID?, entityName: String, key: Int64)? {
        guard uri.scheme == scheme else { return nil }
        let parts = uri.path.split(separator: "/", omittingEmptySubsequences: true)
        guard parts.count == 2, let mark = parts[1].first, mark == "p" || mark == "t",
            let number = Int64(parts[1].dropFirst()), number > 0
        else { return nil }
        let host = uri.host ?? ""
        let identifier = UUID(uuidString: host)
        if identifier == nil, !host.isEmpty { return nil }
        return (identifier, String(parts[0]), mark == "t" ? -number : number)
    }
}
