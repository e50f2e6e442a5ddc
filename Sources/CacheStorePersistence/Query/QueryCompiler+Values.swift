// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import CacheStoreSQLite

extension QueryCompiler {
    /// Appends an expression that gives the value, NULL for none.
    mutating func value(_ expression: QueryExpression) throws(QueryError) {
        switch expression {
        case .constant(let value): bind(value)
        case .property(let path):
            if try kind(of: expression) == .opaque { throw opaque(path) }
            try property(path)
        case .object(let scope): text += "\(try frame(scope).alias).\"_id\""
        case .and, .or, .comparison, .isIn:
            text += "coalesce("
            try condition(expression)
            text += ", 0)"
        case .not, .exists, .all, .text:
            text += "("
            try condition(expression)
            text += ")"
        case .arithmetic(let operation, let first, let second):
            try arithmetic(operation, first, second)
        case .negative(let operand):
            try negative(operand)
        case .coalesce(let first, let second):
            text += "coalesce("
            try value(first)
            text += ", "
            try value(second)
            text += ")"
        case .conditional(let test, let first, let second):
            text += "CASE WHEN "
            try condition(test)
            text += " THEN "
            try value(first)
            text += " ELSE "
            try value(second)
            text += " END"
        case .length(let operand):
            let kind = try kind(of: operand)
            guard kind == .text || kind == .unknown || kind == .opaque else {
                text += "NULL"
                return
            }
            text += "cachestore_length("
            try value(operand)
            text += ")"
        case .count(let path):
            text += "(SELECT count(*) FROM "
            let source = try members(path)
            text += "\(source.table) WHERE \(source.link))"
        }
    }

    mutating func bind(_ value: PropertyValue) {
        text += "?"
        guard case .object(let id) = value else {
            bindings.append(SQLBinding(value))
            return
        }
        bindings.append(.integer(key(of: id)))
    }

    /// The key of an object of this store, or one that no row has.
    func key(of id: ManagedObjectID) -> Int64 {
        id.storeIdentifier == space.storeIdentifier ? id.key : -1
    }

    private mutating func arithmetic(
        _ operation: ArithmeticOperator, _ first: QueryExpression, _ second: QueryExpression
    ) throws(QueryError) {
        let kinds = (try kind(of: first), try kind(of: second))
        guard ValueKind.result(of: operation, kinds.0, kinds.1) != .null else {
            text += "NULL"
            return
        }
        let isPlain =
            (kinds.0 == .real && (kinds.1 == .integer || kinds.1 == .real))
            || (kinds.0 == .integer && kinds.1 == .real)
        if isPlain, operation != .remainder {
            // Between floating-point numbers SQLite calculates as Swift does, and has NULL where
            // the result is no number or the divisor is zero.
            let symbol =
                switch operation {
                case .add: "+"
                case .subtract: "-"
                case .multiply: "*"
                default: "/"
                }
            text += "("
            try value(first)
            text += " \(symbol) "
            try value(second)
            text += ")"
            return
        }
        let number = QueryFunctions.operators.firstIndex(of: operation) ?? 0
        text += "cachestore_arithmetic(\(number), "
        try value(first)
        text += ", "
        try value(second)
        text += ")"
    }

    private mutating func negative(_ operand: QueryExpression) throws(QueryError) {
        let kind = try kind(of: operand)
        guard kind.isNumber || kind == .unknown else {
            text += "NULL"
            return
        }
        text += "cachestore_negative("
        try value(operand)
        text += ")"
    }

    // MARK: To-many relationships

    /// Where the members of a to-many relationship are: the tables, and the condition that links
    /// them with the owner.
    struct Members {
        let table: String
        let link: String
        /// The table and alias of the members' own rows.
        let rows: String
        let alias: String
        let rootIndex: Int
    }

    mutating func members(_ path: PropertyPath) throws(QueryError) -> Members {
        guard let property = path.property(in: map.model),
            let relationship = property.relationship, property.isToMany
        else {
            throw QueryError(
                .typeMismatch, "the path leads to no to-many relationship", expression: name(path))
        }
        let owner = try owner(path)
        let destination = map.model.entities[relationship.destinationIndex]
        let alias = newAlias()
        let rows = "\(map.table(of: destination)) AS \(alias)"
        switch relationship.storage {
        case .join(let index, let isFirst):
            let join = map.schema.joins[index]
            let ends = join.ends(isFirst: isFirst)
            let pairs = newAlias()
            let link = "\(pairs).\(SQLFragment.quoted(ends.own.key)) = \(owner).\"_id\""
            let table = "\(SQLFragment.quoted(join.name)) AS \(pairs)"
            return Members(
                table: table, link: link,
                rows: "\(table) JOIN \(rows) ON \(alias).\"_id\" = "
                    + "\(pairs).\(SQLFragment.quoted(ends.far.key))",
                alias: alias, rootIndex: destination.rootIndex)
        case .inverseColumn, .ownColumn:
            guard let inverse = relationship.inverseIndex,
                let cell = destination.properties[inverse].column
            else {
                throw QueryError(
                    .unsupportedExpression, "the relationship is not stored",
                    expression: name(path))
            }
            let column = map.schema.table(of: destination).column(ofCell: cell).name
            return Members(
                table: rows, link: "\(alias).\(SQLFragment.quoted(column)) = \(owner).\"_id\"",
                rows: rows, alias: alias, rootIndex: destination.rootIndex)
        }
    }
}
