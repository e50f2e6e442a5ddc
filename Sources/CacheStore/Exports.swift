// SPDX-License-Identifier: MIT
@_exported public import CacheStoreGraph
@_exported public import CacheStoreModel
@_exported public import CacheStoreHealing
@_exported public import CacheStoreQuery
