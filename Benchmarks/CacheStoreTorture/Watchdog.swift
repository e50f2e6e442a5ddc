// SPDX-License-Identifier: MIT

import Foundation
import Synchronization

/// Ends the program when nothing has moved for minutes: a hang is a finding.
final class Watchdog: Sendable {
    static let shared = Watchdog()

    private let last = Mutex((deadline: ContinuousClock.now + .seconds(120), what: "the start"))

    func start() {
        Thread.detachNewThread { [self] in
            while true {
                Thread.sleep(forTimeInterval: 5)
                let (deadline, what) = last.withLock { $0 }
                if ContinuousClock.now > deadline {
                    StandardStreams.tell("hangs: \(what)")
                    _exit(3)
                }
            }
        }
    }

    func isAlive(_ what: String, for duration: Duration = .seconds(120)) {
        last.withLock { $0 = (.now + duration, what) }
    }
}
