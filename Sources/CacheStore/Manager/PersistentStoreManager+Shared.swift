// SPDX-License-Identifier: MIT

import Synchronization

private let registry = Mutex<[ObjectIdentifier: PersistentStoreManager]>([:])

extension PersistentStoreManager {
    /// The one instance of this class, with the store opened.
    ///
    /// Each class has its own, whichever was used first. The first use makes the instance and opens
    /// the store; several threads may come at once, and all get the same instance. Later uses cost a
    /// look into a table.
    ///
    /// It never throws and never traps: if the store cannot be had, see ``openError``.
    public nonisolated static var shared: Self {
        let manager = registered()
        _ = manager.stack()
        return manager
    }

    private nonisolated static func registered() -> Self {
        let key = ObjectIdentifier(self)
        if let known = registry.withLock({ $0[key] }) as? Self { return known }
        // Made without the lock: `configuration` and `init` are the program's. Of two threads that
        // come at once one makes an instance too many, which has opened nothing and goes away.
        let made = Self(configuration: Self.configuration)
        let kept = registry.withLock { registry in
            if let known = registry[key] { return known }
            registry[key] = made
            return made
        }
        return kept as? Self ?? made
    }
}
