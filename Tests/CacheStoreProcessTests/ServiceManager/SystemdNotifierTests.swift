// SPDX-License-Identifier: MIT

import CacheStoreProcess
import Foundation
import Testing

/// A datagram socket that plays systemd.
private final class NotificationSocket: Sendable {
    private let descriptor: Int32

    init(path: String, isAbstract: Bool = false) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        try #require(descriptor >= 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let bytes = (isAbstract ? [0] : []) + Array(path.utf8)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(2 + bytes.count)
        let bound = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length)
            }
        }
        try #require(bound == 0)
    }

    deinit { close(descriptor) }

    /// The message that has been handed over; there is nothing to wait for on one machine.
    func message() -> String? {
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
}

@Suite struct SystemdNotifierTests {
    @Test func `the message comes to a socket in a directory`() throws {
        let temporary = try TemporaryDirectory()
        let path = temporary.path(of: "s")
        let socket = try NotificationSocket(path: path)
        let notifier = try #require(SystemdNotifier(environment: ["NOTIFY_SOCKET": path]))
        #expect(notifier.stopping())
        #expect(socket.message() == "STOPPING=1")
    }

    @Test func `the message comes to a socket in the abstract namespace`() throws {
        let name = "cachestore-\(UUID().uuidString)"
        let socket = try NotificationSocket(path: name, isAbstract: true)
        let notifier = try #require(SystemdNotifier(environment: ["NOTIFY_SOCKET": "@" + name]))
        #expect(notifier.stopping(needing: .milliseconds(12_345)))
        #expect(socket.message() == "STOPPING=1\nEXTEND_TIMEOUT_USEC=12345000")
    }

    @Test func `a socket that is gone is no error`() throws {
        let temporary = try TemporaryDirectory()
        let path = temporary.path(of: "gone")
        let notifier = try #require(SystemdNotifier(environment: ["NOTIFY_SOCKET": path]))
        #expect(!notifier.stopping())
    }

    @Test(arguments: [
        nil, "", "relative", "@", "/", "vsock:2:1", String(repeating: "/", count: 200),
    ])
    func `without a usable address there is no notifier`(address: String?) {
        let environment = address.map { ["NOTIFY_SOCKET": $0] } ?? [:]
        #expect(SystemdNotifier(environment: environment) == nil)
    }
}
