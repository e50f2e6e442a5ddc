// SPDX-License-Identifier: MIT
import Foundation
import Synchronization
import Testing

@testable import CacheStoreSQLite

@Suite struct ReaderSlotTests {
    @Test func `one thread at a time has it`() throws {
        let slot = ReaderSlot()
        let isFilled = slot.takeEmpty(ThreadID.current)
        #expect(isFilled)
        slot.fill(try Connection(.memory))
        slot.giveBack()
        let holders = Atomic(0)
        let clashes = Atomic(0)
        let uses = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<1_000_000 where slot.takeConnection(ThreadID.current) != nil {
                if holders.add(1, ordering: .sequentiallyConsistent).oldValue != 0 {
                    clashes.add(1, ordering: .relaxed)
                }
                uses.add(1, ordering: .relaxed)
                holders.subtract(1, ordering: .sequentiallyConsistent)
                slot.giveBack()
            }
        }
        let clashCount = clashes.load(ordering: .relaxed)
        let useCount = uses.load(ordering: .relaxed)
        #expect(clashCount == 0)
        #expect(useCount > 1_000)
    }

    @Test func `an empty one has no connection, and a taken one is not emptied by others`() throws {
        let slot = ReaderSlot()
        #expect(slot.takeConnection(ThreadID.current) == nil && slot.takeIdle() == nil)
        let isTaken = slot.takeEmpty(ThreadID.current)
        #expect(isTaken && slot.isTaken && slot.isTaken(by: ThreadID.current))
        let connection = try Connection(.memory)
        slot.fill(connection)
        #expect(slot.takeIdle() == nil)
        #expect(!slot.takeEmpty(ThreadID.current))
        slot.giveBack()
        #expect(!slot.isTaken && !slot.isTaken(by: ThreadID.current) && !slot.isEmpty)
        let idle = slot.takeIdle()
        #expect(idle === connection && slot.isEmpty)
    }
}
