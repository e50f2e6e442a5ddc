// SPDX-License-Identifier: MIT

import CacheStore

/// The model of the catalogue.
enum CatalogModel {
    static let shared = ManagedObjectModel(
        Package.self, Version.self, Section.self, Maintainer.self, DependencyGroup.self,
        Alternative.self, Refresh.self)
}
