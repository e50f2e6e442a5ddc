// SPDX-License-Identifier: MIT

// A program imports `CacheStore` and has everything that is public in the layers below.

@_exported public import CacheStoreGraph
@_exported public import CacheStoreHealing
@_exported public import CacheStoreModel
@_exported public import CacheStorePersistence
@_exported public import CacheStoreProcess
@_exported public import CacheStoreQuery
@_exported public import CacheStoreSQLite
