// SPDX-License-Identifier: MIT

import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Tells systemd what the service is doing, by the datagram protocol of `sd_notify(3)`.
///
/// Best effort: without systemd nothing is sent, and failures are not errors. Only services with
/// `Type=notify` (or `NotifyAccess=`) have a socket to send to.
package struct SystemdNotifier: Sendable {
    private let address: String

    /// Creates a notifier, or `nil` when the environment names no socket that can be used.
    package init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
        guard let address = environment["NOTIFY_SOCKET"], let first = address.utf8.first,
            first == UInt8(ascii: "/") || first == UInt8(ascii: "@"),
            address.utf8.count > 1, address.utf8.count < Self.pathCapacity
        else { return nil }
        self.address = address
    }

    /// Says that the service is about to end, and how much longer it may take.
    ///
    /// Returns whether the message was handed over.
    @discardableResult
    package func stopping(needing time: Duration? = nil) -> Bool {
        var message = "STOPPING=1"
        if let time, time > .zero {
            let (seconds, attoseconds) = time.components
            let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
            if !overflow {
                let microseconds = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
                message += "\nEXTEND_TIMEOUT_USEC=\(microseconds.partialValue)"
            }
        }
        return send(message)
    }

    private static let pathCapacity = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

    private func send(_ message: String) -> Bool {
        #if canImport(Darwin)
            return false  // There is no systemd.
        #else
            #if canImport(Glibc)
                let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            #else
                let type = SOCK_DGRAM | SOCK_CLOEXEC
            #endif
            let descriptor = socket(AF_UNIX, type, 0)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            var (name, length) = socketAddress()
            let bytes = Array(message.utf8)
            // The system takes every kind of address by a pointer to the general one.
            let sent = withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    SystemCall.retryingInterrupts {
                        sendto(
                            descriptor, bytes, bytes.count,
                            Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), address,
                            length)
                    }
                }
            }
            return sent == bytes.count
        #endif
    }

    private func socketAddress() -> (sockaddr_un, socklen_t) {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(address.utf8)
        // An address in the abstract namespace starts with a NUL, for which the variable has an @.
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
        let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
        return (name, socklen_t(offset + bytes.count))
    }
}
