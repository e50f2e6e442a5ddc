// SPDX-License-Identifier: MIT

import CacheStoreProcess
import Foundation
import Testing

@Suite struct ForkGuardTests {
    @Test func `the process itself is not forked`() {
        #expect(!ForkGuard().isForked)
        #expect(ForkGuard().processID == getpid())
    }

    @Test func `a forked child is noticed`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let guardian = ForkGuard()
            exit(try ForkedChild.run { guardian.isForked ? 7 : 8 })
        }
    }
}
