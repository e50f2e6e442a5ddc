// SPDX-License-Identifier: MIT

import CacheStoreProcess
import Foundation
import Testing

@Suite struct StandardDescriptorsTests {
    @Test(arguments: [[0, 1, 2], [1], [2], [0, 2]] as [[Int32]])
    func `closed ones are occupied, so that no file gets their numbers`(
        closed: [Int32]
    ) async throws {
        await #expect(processExitsWith: .success) { [closed = closed as [Int32]] in
            for descriptor in closed { close(descriptor) }
            StandardDescriptors.occupy()
            let next = open("/dev/null", O_RDONLY)
            guard next > 2 else { _exit(1) }
            for descriptor in closed where fcntl(descriptor, F_GETFD) == -1 { _exit(2) }
            _exit(0)
        }
    }

    @Test func `open ones stay what they are`() {
        var before = stat()
        var after = stat()
        #expect(fstat(2, &before) == 0)
        StandardDescriptors.occupy()
        #expect(fstat(2, &after) == 0)
        #expect(before.st_ino == after.st_ino)
    }
}
