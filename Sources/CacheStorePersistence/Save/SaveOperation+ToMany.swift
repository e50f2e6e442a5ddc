// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreSQLite

extension SaveOperation {
    /// Applies the changed members and orders of to-many relationships.
    ///
    /// All removals come first: an object that moves from one owner to another may be named by both
    /// owners' changes, in any order.
    func applyToManyChanges() throws {
        for change in changes.toMany where !change.removed.isEmpty {
            try removeMembers(change)
        }
        for change in changes.toMany { try addMembers(change) }
        for change in changes.toMany { try orderMembers(change) }
    }

    private func relationship(_ change: ChangeSet.ToManyChange) -> Property.Relationship? {
        map.entity(of: change.owner).properties[change.propertyIndex].relationship
    }

    private func removeMembers(_ change: ChangeSet.ToManyChange) throws {
        guard case .join(let index, let isFirst) = relationship(change)?.storage else { return }
        let join = map.schema.joins[index]
        let ends = join.ends(isFirst: isFirst)
        let owner = try binder.key(of: change.owner)
        let statement = try connection.statement(
            sql: "DELETE FROM \(SQLFragment.quoted(join.name)) "
                + "WHERE \(SQLFragment.quoted(ends.own.key)) = ? "
                + "AND \(SQLFragment.quoted(ends.far.key)) = ?")
        for member in change.removed {
            let key = try binder.key(of: member)
            try statement.run([.integer(owner), .integer(key)])
            if join.isSymmetric { try statement.run([.integer(key), .integer(owner)]) }
        }
    }

    private func addMembers(_ change: ChangeSet.ToManyChange) throws {
        guard case .join(let index, let isFirst) = relationship(change)?.storage,
            !change.added.isEmpty
        else { return }
        let join = map.schema.joins[index]
        let ends = join.ends(isFirst: isFirst)
        var columns = [ends.own.key, ends.far.key]
        for end in [ends.own, ends.far] {
            if let entity = end.entity { columns.append(entity) }
        }
        let names = columns.map { SQLFragment.quoted($0) }.joined(separator: ", ")
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        // Both ends may say that they have each other: the second finds the pair there. Another
        // context may have deleted one of them, unless both are new.
        let insert = "INSERT OR IGNORE INTO \(SQLFragment.quoted(join.name)) (\(names)) "
        let exist = [ends.own, ends.far].enumerated().map { index, end in
            "EXISTS (SELECT 1 FROM \(map.table(of: map.model.entities[end.rootIndex])) "
                + "WHERE \"_id\" = ?\(index + 1))"
        }.joined(separator: " AND ")
        let plain = try connection.statement(sql: insert + "VALUES (\(marks))")
        let checked = try connection.statement(sql: insert + "SELECT \(marks) WHERE \(exist)")
        func add(_ owner: ManagedObjectID, _ member: ManagedObjectID) throws {
            let statement = owner.isTemporaryID && member.isTemporaryID ? plain : checked
            try statement.bind(try binder.key(of: owner), at: 1)
            try statement.bind(try binder.key(of: member), at: 2)
            var parameter: Int32 = 3
            for (end, id) in [(ends.own, owner), (ends.far, member)] where end.entity != nil {
                try statement.bind(binder.number(of: id), at: parameter)
                parameter += 1
            }
            try statement.run()
        }
        for member in change.added {
            try add(change.owner, member)
            if join.isSymmetric { try add(member, change.owner) }
        }
    }

    // MARK: Order

    private func orderMembers(_ change: ChangeSet.ToManyChange) throws {
        guard let places = map.places(of: relationship(change)),
            change.order != nil || !change.added.isEmpty
        else {
            return
        }
        let owner = try binder.key(of: change.owner)
        var keys: [Int64]
        if let order = change.order {
            keys = try order.map { try binder.key(of: $0) }
        } else {
            let added = try change.added.map { try binder.key(of: $0) }
            let isAdded = Set(added)
            keys = try currentOrder(places, owner: owner).filter { !isAdded.contains($0) } + added
        }
        let statement = try connection.statement(
            sql: "UPDATE \(places.table) SET \(places.position) = ?1 "
                + "WHERE \(places.member) = ?2 AND \(places.owner) = ?3 "
                + "AND \(places.position) IS NOT ?1")
        for (place, key) in keys.enumerated() {
            try statement.run([.integer(Int64(place)), .integer(key), .integer(owner)])
        }
    }

    private func currentOrder(_ places: StoreMap.Places, owner: Int64) throws -> [Int64] {
        let statement = try connection.statement(
            sql: "SELECT \(places.member) FROM \(places.table) WHERE \(places.owner) = ? "
                + "ORDER BY \(places.position) IS NULL, \(places.position), \(places.member)")
        try statement.bind(owner, at: 1)
        var keys: [Int64] = []
        try statement.rows { keys.append($0.int64(at: 0)) }
        return keys
    }
}
