// SPDX-License-Identifier: MIT

import Foundation

/// How long whoever asks this process to end will wait before it kills it.
///
/// No service manager tells: systemd does not pass `TimeoutStopSec=` on. So the time is configured,
/// or taken from `$CACHESTORE_STOP_TIMEOUT` (seconds, for a unit file or a container), or the usual
/// one of the surroundings: 90 s under systemd, 10 s in a container.
package struct ServiceDeadline: Sendable, Hashable {
    /// Where the time comes from.
    package enum Origin: Sendable, Hashable {
        /// The program's configuration.
        case configuration
        /// `$CACHESTORE_STOP_TIMEOUT`.
        case environment
        /// What systemd does by default.
        case systemd
        /// What container runtimes do by default.
        case container
    }

    /// The environment variable that holds the time, in seconds.
    package static let variable = "CACHESTORE_STOP_TIMEOUT"

    /// How long the process is given to end.
    package let timeout: Duration
    /// Where the time comes from.
    package let origin: Origin

    /// The time to use: a tenth of it, one second at most, is left for the ending itself.
    package var usable: Duration { timeout - min(timeout / 10, .seconds(1)) }

    /// Finds the time; a variable that makes no sense is passed over.
    package static func resolve(
        configured: Duration? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        processID: Int32 = ProcessInfo.processInfo.processIdentifier
    ) -> ServiceDeadline {
        if let configured, configured > .zero {
            return ServiceDeadline(timeout: configured, origin: .configuration)
        }
        if let seconds = environment[variable].flatMap(Double.init), seconds > 0, seconds <= 86_400
        {
            return ServiceDeadline(timeout: .seconds(seconds), origin: .environment)
        }
        if isService(environment: environment, processID: processID) {
            return ServiceDeadline(timeout: .seconds(90), origin: .systemd)
        }
        return ServiceDeadline(timeout: .seconds(10), origin: .container)
    }

    private static func isService(environment: [String: String], processID: Int32) -> Bool {
        // systemd 248 and later names the process it started. Its variables are inherited: all that
        // runs in a terminal window has the identifier of the terminal's own unit.
        if let started = environment["SYSTEMD_EXEC_PID"] { return Int32(started) == processID }
        return environment["INVOCATION_ID"]?.isEmpty == false
    }
}
