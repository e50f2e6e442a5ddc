// SPDX-License-Identifier: MIT

import CacheStore

/// Who looks after packages.
final class Maintainer: ManagedObject {
    @Attribute var name: String = ""
    @Attribute(.indexed) var mail: String = ""
    @Relationship var versions: Set<Version>

    override class var uniquenessConstraints: [[AnyKeyPath]] {
        [[\Maintainer.name, \Maintainer.mail]]
    }
}
