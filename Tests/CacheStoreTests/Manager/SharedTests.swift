// SPDX-License-Identifier: MIT

import CacheStore
import Dispatch
import Foundation
import Synchronization
import Testing

private class BaseCache: PersistentStoreManager {
    nonisolated override class var configuration: Configuration {
        var configuration = Configuration(
            applicationIdentifier: "org.example.Base", model: .notes)
        configuration.isInMemory = true
        configuration.autosave = .off
        return configuration
    }
}

private final class DerivedCache: BaseCache {
    nonisolated override class var configuration: Configuration {
        var configuration = super.configuration
        configuration.applicationIdentifier = "org.example.Derived"
        return configuration
    }
}

private final class ContestedCache: BaseCache {}

@Suite struct SharedTests {
    @Test func `each class has its own instance, whichever was used first`() {
        let base = BaseCache.shared
        let derived = DerivedCache.shared
        #expect(type(of: base) == BaseCache.self)
        #expect(type(of: derived) == DerivedCache.self)
        #expect(derived.configuration.applicationIdentifier == "org.example.Derived")
        #expect(BaseCache.shared === base)
        #expect(DerivedCache.shared === derived)
    }

    @Test func `the base class itself has a store without entities, in memory`() {
        let manager = PersistentStoreManager.shared
        #expect(type(of: manager) == PersistentStoreManager.self)
        #expect(manager.openReport.outcome == .inMemory)
        #expect(manager.openError == nil)
        #expect(manager.storeURL == nil)
    }

    @Test func `threads that come at once get one instance`() {
        let instances = Mutex<Set<ObjectIdentifier>>([])
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            let shared = ContestedCache.shared
            #expect(shared.wasResetOrCreated)
            instances.withLock { _ = $0.insert(ObjectIdentifier(shared)) }
        }
        #expect(instances.withLock { $0.count } == 1)
    }
}
