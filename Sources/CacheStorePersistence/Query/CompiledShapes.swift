// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import CacheStoreSQLite
import Synchronization

/// The SQL of queries that were compiled before, by their shape: a request built anew in a loop is
/// compiled once, and then only its values are bound.
final class CompiledShapes: Sendable {
    private struct Key: Hashable {
        let shape: ObjectIdentifier
        let entityIndex: Int
        let includesSubentities: Bool
        let isWindowed: Bool
        let sort: [SortKey]
        let selection: QueryCompiler.Selection
    }

    /// Where a bound value comes from.
    private enum Source {
        case parameter(Int)
        case limit
        case offset
    }

    private struct Entry {
        // Kept, so that nothing else can get its identity.
        let shape: QueryShape
        let sql: String
        let sources: [Source]
        let rowSelection: RowSelection
        let key = StatementKey()
    }

    /// Shapes are as many as a program has predicates; the bound is for those that make them.
    private static let capacity = 1024

    private let entries = Mutex<[Key: Entry]>([:])

    /// The SQL of a query with its values, if its shape is known.
    func query(for query: StoreQuery, selecting selection: QueryCompiler.Selection)
        -> CompiledQuery?
    {
        guard let shape = query.shape else { return nil }
        let key = key(of: query, shape, selection)
        guard let entry = entries.withLock({ $0[key] }) else { return nil }
        return CompiledQuery(
            sql: entry.sql,
            bindings: entry.sources.map { source in
                switch source {
                case .parameter(let index): SQLBinding(query.parameters[index])
                case .limit: QueryCompiler.limit(of: query)
                case .offset: QueryCompiler.offset(of: query)
                }
            }, rowSelection: entry.rowSelection, key: entry.key)
    }

    /// Keeps what a query was compiled to, if it is clear which bound value is which parameter.
    func remember(
        _ compiled: CompiledQuery, for query: StoreQuery,
        selecting selection: QueryCompiler.Selection
    ) {
        guard let shape = query.shape else { return }
        let parameters = query.parameters.map { SQLBinding($0) }
        guard Set(parameters).count == parameters.count else { return }
        var sources: [Source] = []
        var values = compiled.bindings[...]
        if query.isWindowed { values = values.dropLast(2) }
        for value in values {
            guard let index = parameters.firstIndex(of: value) else { return }
            sources.append(.parameter(index))
        }
        if query.isWindowed { sources += [.limit, .offset] }
        let entry = Entry(
            shape: shape, sql: compiled.sql, sources: sources, rowSelection: compiled.rowSelection)
        let key = key(of: query, shape, selection)
        entries.withLock { entries in
            if entries.count >= Self.capacity { entries.removeAll() }
            entries[key] = entry
        }
    }

    private func key(
        of query: StoreQuery, _ shape: QueryShape, _ selection: QueryCompiler.Selection
    ) -> Key {
        Key(
            shape: ObjectIdentifier(shape), entityIndex: query.entity.index,
            includesSubentities: query.includesSubentities, isWindowed: query.isWindowed,
            sort: query.sort, selection: selection)
    }
}
