// SPDX-License-Identifier: MIT

import CacheStoreModel

/// What the library gives to a new object: passed on by `init(seed:)`, never made by a program.
public struct ObjectSeed {
    enum Purpose {
        /// An object of a context.
        case object(plan: ObjectPlan, id: ManagedObjectID, context: ManagedObjectContext)
        /// An object that exists to have its class described.
        case description
        /// An object that notes which properties are read.
        case recording(KeyPathRecorder)
    }

    let purpose: Purpose
}
