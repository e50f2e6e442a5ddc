// SPDX-License-Identifier: MIT

import CacheStoreProcess
import Foundation

/// A point in time: by the clock, which people and network services set, and by the time since the
/// machine was started, which nobody does.
struct SystemMoment: Sendable, Hashable {
    var date: Date
    /// The boot that ``uptime`` counts from; `nil` where the system does not tell.
    var boot: String?
    /// Seconds, sleep included.
    var uptime: Double

    init(date: Date, boot: String?, uptime: Double) {
        self.date = date
        self.boot = boot
        self.uptime = uptime
    }

    /// Now.
    init() {
        date = Date()
        boot = BootIdentity.current?.string
        var time = timespec()
        #if canImport(Darwin)
            clock_gettime(CLOCK_MONOTONIC, &time)
        #else
            clock_gettime(CLOCK_BOOTTIME, &time)
        #endif
        uptime = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
