// SPDX-License-Identifier: MIT

import CacheStoreModel

@testable import CacheStorePersistence

extension MemoryContent {
    /// Counts the rows, and makes the ends of one-to-one relationships agree: all that can be wrong
    /// where there is no file and each save has been checked. The rules are those of ``GraphChecker``.
    mutating func verify(repairing: Bool, in space: IdentitySpace) -> GraphVerification {
        var check = MemoryCheck(content: self, space: space, repairs: repairing)
        check.run()
        self = check.content
        return check.verification
    }
}

/// One check of the content of a store in memory.
private struct MemoryCheck {
    var content: MemoryContent
    let space: IdentitySpace
    let repairs: Bool
    var verification = GraphVerification(report: GraphReport())

    init(content: MemoryContent, space: IdentitySpace, repairs: Bool) {
        self.content = content
        self.space = space
        self.repairs = repairs
    }

    /// One end of a one-to-one relationship.
    private struct End {
        let entity: Entity
        let property: Property
    }

    mutating func run() {
        let model = content.model
        for rows in content.tables.values {
            for row in rows.values {
                verification.report.objectCounts[
                    model.entities[row.entityIndex].name, default: 0] += 1
            }
        }
        for entity in model.entities {
            for property in entity.properties where property.declaringEntityIndex == entity.index {
                guard let relationship = property.relationship, !property.isToMany,
                    let index = relationship.inverseIndex
                else { continue }
                let inverse = model.entities[relationship.destinationIndex].properties[index]
                let other = End(
                    entity: model.entities[inverse.declaringEntityIndex], property: inverse)
                let one = End(entity: entity, property: property)
                let (first, second) = (
                    (entity.index, property.index), (other.entity.index, inverse.index)
                )
                if inverse.isToMany || first > second { continue }
                settle(first == second ? [(one, one)] : [(one, other), (other, one)])
            }
        }
    }

    private mutating func settle(_ directions: [(End, End)]) {
        for (from, to) in directions {
            for fault in oneSided(from, to) where !fault.isFree || !repairs {
                let isRepairable = fault.isFree || from.property.isOptional
                if note(from, isRepairable: isRepairable) { set(from, of: fault.key, to: nil) }
            }
        }
        guard repairs else { return }
        for (from, to) in directions {
            var taken: Set<Int64> = []
            for fault in oneSided(from, to) where fault.isFree {
                let isFirst = taken.insert(fault.target).inserted
                guard note(from, isRepairable: isFirst || from.property.isOptional) else {
                    continue
                }
                if isFirst {
                    set(to, of: fault.target, to: fault.key)
                } else {
                    set(from, of: fault.key, to: nil)
                }
            }
        }
    }

    private func oneSided(
        _ from: End, _ to: End
    ) -> [(key: Int64, target: Int64, isFree: Bool)] {
        var faults: [(key: Int64, target: Int64, isFree: Bool)] = []
        let rows = content.tables[from.entity.rootIndex] ?? [:]
        for (key, row) in rows.sorted(by: { $0.key < $1.key })
        where from.entity.familyIndexes.contains(row.entityIndex) {
            guard case .object(let target) = row.values[from.property.index],
                let other = content.row(target),
                to.entity.familyIndexes.contains(other.entityIndex)
            else { continue }
            if case .object(let back) = other.values[to.property.index] {
                if back.key != key { faults.append((key, target.key, false)) }
            } else {
                faults.append((key, target.key, true))
            }
        }
        return faults
    }

    private mutating func note(_ end: End, isRepairable: Bool) -> Bool {
        let isRepaired = repairs && isRepairable
        let index = verification.report.findings.firstIndex {
            $0.entity == end.entity.name && $0.property == end.property.name
        }
        let known = index.map { verification.report.findings[$0] }
        let finding = GraphReport.Finding(
            kind: .oneSidedReference, entity: end.entity.name, property: end.property.name,
            count: (known?.count ?? 0) + 1,
            repairedCount: (known?.repairedCount ?? 0) + (isRepaired ? 1 : 0))
        if let index {
            verification.report.findings[index] = finding
        } else {
            verification.report.findings.append(finding)
        }
        return isRepaired
    }

    private mutating func set(_ end: End, of key: Int64, to target: Int64?) {
        guard var row = content.tables[end.entity.rootIndex]?[key] else { return }
        var value = PropertyValue.null
        if let target, let relationship = end.property.relationship {
            let destination = content.model.entities[relationship.destinationIndex]
            let entity = content.row(of: destination, key: target)?.entityIndex
            value = .object(
                ManagedObjectID(
                    space: space, entityIndex: entity ?? destination.index, key: target))
        }
        row.values[end.property.index] = value
        let version = row.version
        row.version += 1
        content.tables[end.entity.rootIndex]?[key] = row
        var values = ContiguousArray(repeating: PropertyValue.null, count: row.values.count)
        values[end.property.index] = value
        verification.changes.updated.append(
            ChangeSet.Update(
                id: ManagedObjectID(space: space, entityIndex: row.entityIndex, key: key),
                version: version, changed: PropertySet([end.property.index]), values: values))
    }
}
