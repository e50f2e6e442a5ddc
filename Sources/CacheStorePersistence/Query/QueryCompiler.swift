// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import CacheStoreSQLite

/// A query as SQL: the text is its shape, the same for every query that differs in values only.
struct CompiledQuery {
    let sql: String
    let bindings: [SQLBinding]
    /// How the rows are selected, if rows are.
    let rowSelection: RowSelection
    /// The key of the statement, where the text is one that was compiled before.
    var key: StatementKey?

    /// The statement with its values bound.
    func statement(on connection: Connection) throws -> Statement {
        let statement =
            try key.map { try connection.statement($0) { sql } }
            ?? connection.statement(sql: sql)
        try statement.bind(bindings)
        return statement
    }
}

/// Compiles queries to SQL.
///
/// Every value is bound. A condition is compiled so that NULL stands for false: `WHERE` takes it
/// for that, `NOT` is written `IS NOT TRUE`, and a condition that serves as a value is wrapped in
/// `coalesce(…, 0)`.
struct QueryCompiler {
    let map: StoreMap
    let space: IdentitySpace
    var text = ""
    var bindings: [SQLBinding] = []
    private var frames: [Int: QueryFrame] = [:]
    private var lastAlias = 0

    init(map: StoreMap, space: IdentitySpace) {
        self.map = map
        self.space = space
    }

    enum Selection {
        case rows
        /// The key, and the entity's number where the table has it.
        case identifiers
        case count
    }

    /// - Throws: ``QueryError`` naming the part that has no SQL.
    static func compile(
        _ query: StoreQuery, selecting selection: Selection, map: StoreMap, space: IdentitySpace
    ) throws(QueryError) -> CompiledQuery {
        var compiler = QueryCompiler(map: map, space: space)
        return try compiler.compile(query, selecting: selection)
    }

    private mutating func compile(
        _ query: StoreQuery, selecting selection: Selection
    ) throws(QueryError) -> CompiledQuery {
        let frame = QueryFrame(alias: "t0", rootIndex: query.entity.rootIndex)
        frames[0] = frame
        let plan = map.selects[query.entity.index]
        let isWindowed = query.isWindowed
        var conditions = ""
        if plan.hasEntityColumn, query.entity.parentIndex != nil || !query.includesSubentities {
            let family = map.numbers.list(
                family: query.entity, includesSubentities: query.includesSubentities)
            conditions = " WHERE t0.\"_entity\" IN (\(family))"
        }
        if let predicate = query.predicate, predicate != .true {
            text = conditions.isEmpty ? " WHERE (" : conditions + " AND ("
            try condition(predicate)
            conditions = text + ")"
        }
        text = ""
        // A table on its own is read in the order of its keys.
        let isWholeTable = conditions.isEmpty && query.sort.isEmpty && !isWindowed
        if selection != .count, !isWholeTable { try order(query.sort) }
        let order = text
        if isWindowed {
            text = " LIMIT ? OFFSET ?"
            bindings.append(Self.limit(of: query))
            bindings.append(Self.offset(of: query))
        } else {
            text = ""
        }
        let rows = plan.selection(isWholeTable ? .tableCall : .columns)
        let columns =
            switch selection {
            case .rows: rows.sql
            case .identifiers: plan.hasEntityColumn ? "t0.\"_id\", t0.\"_entity\"" : "t0.\"_id\""
            case .count: isWindowed ? "1" : "count(*)"
            }
        var sql =
            "SELECT \(columns) FROM \(map.table(of: query.entity)) AS t0"
            + frame.joins + conditions + order + text
        if selection == .count, isWindowed { sql = "SELECT count(*) FROM (\(sql))" }
        return CompiledQuery(sql: sql, bindings: bindings, rowSelection: rows.selection)
    }

    static func limit(of query: StoreQuery) -> SQLBinding {
        .integer(Int64(max(0, query.limit ?? Int.max)))
    }

    static func offset(of query: StoreQuery) -> SQLBinding { .integer(Int64(max(0, query.offset))) }

    mutating func newAlias() -> String {
        lastAlias += 1
        return "t\(lastAlias)"
    }

    // MARK: Order

    private mutating func order(_ keys: [SortKey]) throws(QueryError) {
        text += " ORDER BY "
        for key in keys {
            let kind = try self.kind(of: .property(key.path))
            try property(key.path)
            switch kind {
            case .opaque: throw opaque(key.path)
            case .decimal: text += " COLLATE \(QueryFunctions.decimalCollation)"
            case .text where key.comparison == .localized:
                text += " COLLATE \(QueryFunctions.localizedCollation)"
            case .text where key.comparison == .localizedStandard:
                text += " COLLATE \(QueryFunctions.localizedStandardCollation)"
            default: break
            }
            text += key.isAscending ? ", " : " DESC, "
        }
        text += "t0.\"_id\""
    }

    // MARK: Paths

    func frame(_ scope: Int) throws(QueryError) -> QueryFrame {
        guard let frame = frames[scope] else {
            throw QueryError(
                .unsupportedExpression, "an object of another query", expression: "scope \(scope)")
        }
        return frame
    }

    /// The alias of the table whose row has the property at the end of a path.
    mutating func owner(_ path: PropertyPath) throws(QueryError) -> String {
        let frame = try frame(path.scope)
        return frame.alias(following: path.steps.dropLast(), map: map) { newAlias() }
    }

    mutating func property(_ path: PropertyPath) throws(QueryError) {
        guard let step = path.steps.last, let property = path.property(in: map.model),
            let cell = property.column
        else {
            throw QueryError(
                .unsupportedExpression, "the property has no single stored value",
                expression: name(path))
        }
        let entity = map.model.entities[step.entityIndex]
        let column = map.schema.table(of: entity).column(ofCell: cell).name
        text += "\(try owner(path)).\(SQLFragment.quoted(column))"
    }

    func name(_ path: PropertyPath) -> String {
        path.steps.map { map.model.entities[$0.entityIndex].properties[$0.propertyIndex].name }
            .joined(separator: ".")
    }

    func opaque(_ path: PropertyPath) -> QueryError {
        QueryError(
            .unsupportedExpression,
            "a compressed or external value can only be compared with nil", expression: name(path))
    }

    /// Compiles the condition of a subquery, whose object is that of a scope with its own frame.
    mutating func condition(
        _ test: QueryExpression, of frame: QueryFrame, scope: Int
    ) throws(QueryError) -> String {
        let (outerText, outerFrame) = (text, frames[scope])
        text = ""
        frames[scope] = frame
        try condition(test)
        let inner = text
        text = outerText
        frames[scope] = outerFrame
        return inner
    }
}

extension StoreQuery {
    /// Whether a part of the result is asked for.
    var isWindowed: Bool { limit != nil || offset > 0 }
}
