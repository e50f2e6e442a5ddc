// SPDX-License-Identifier: MIT

import CacheStoreModel

/// What the library gives to a new object: passed on by `init(seed:)`, never made by a program.
public struct ObjectSeed {
    enum Purpose {
        /// An object of a context. Whoever makes it holds both while it is made, so that they need
        /// not be counted for each object.
        case object(
            plan: Unmanaged<ObjectPlan>, id: ManagedObjectID,
            context: Unmanaged<ManagedObjectContext>)
        /// An object that exists to have its class described.
        case description
        /// An object that notes which properties are read.
        case recording(KeyPathRecorder)
    }

    let purpose: Purpose
}
