// SPDX-License-Identifier: MIT

import CacheStoreModel
import Synchronization

/// The UPDATEs of a store by what they change, so that each save finds its prepared statements.
final class UpdatePlans: Sendable {
    struct Shape: Hashable {
        let entity: UInt32
        let changed: PropertySet
    }

    /// A program changes few different sets of properties; one that does not starts again here.
    private static let maximumCount = 512

    private let plans = Mutex<[Shape: WritePlan]>([:])

    func plan(for shape: Shape, schema: SQLiteSchema) -> WritePlan {
        plans.withLock { plans in
            if let plan = plans[shape] { return plan }
            let plan = WritePlan.update(
                schema.model.entities[Int(shape.entity)], changed: shape.changed, schema: schema)
            if plans.count >= Self.maximumCount { plans.removeAll() }
            plans[shape] = plan
            return plan
        }
    }
}
