// SPDX-License-Identifier: MIT

import CacheStoreProcess
import Testing

@Suite struct ServiceDeadlineTests {
    private static func resolve(
        _ environment: [String: String], configured: Duration? = nil
    ) -> ServiceDeadline {
        ServiceDeadline.resolve(configured: configured, environment: environment, processID: 42)
    }

    @Test func `without a service manager it is a container's ten seconds`() {
        let deadline = Self.resolve([:])
        #expect(deadline.timeout == .seconds(10))
        #expect(deadline.origin == .container)
        #expect(deadline.usable == .seconds(9))
    }

    @Test func `under systemd it is ninety seconds`() {
        let deadline = Self.resolve(["SYSTEMD_EXEC_PID": "42", "INVOCATION_ID": "abc"])
        #expect(deadline.timeout == .seconds(90))
        #expect(deadline.origin == .systemd)
        #expect(deadline.usable == .seconds(89))
        #expect(Self.resolve(["INVOCATION_ID": "abc"]).origin == .systemd)
    }

    @Test func `a program in a terminal window is not the service that the terminal is`() {
        let environment = ["SYSTEMD_EXEC_PID": "7", "INVOCATION_ID": "abc"]
        #expect(Self.resolve(environment).origin == .container)
    }

    @Test func `the configuration comes first, then the variable`() {
        let environment = ["CACHESTORE_STOP_TIMEOUT": "2.5", "SYSTEMD_EXEC_PID": "42"]
        let configured = Self.resolve(environment, configured: .seconds(3))
        #expect(configured.timeout == .seconds(3))
        #expect(configured.origin == .configuration)
        let variable = Self.resolve(environment)
        #expect(variable.timeout == .seconds(2.5))
        #expect(variable.origin == .environment)
        #expect(variable.usable == .seconds(2.25))
    }

    @Test(arguments: ["", "0", "-5", "nan", "infinity", "1e300", "ten", "10s"])
    func `a variable that makes no sense is passed over`(value: String) {
        #expect(Self.resolve(["CACHESTORE_STOP_TIMEOUT": value]).origin == .container)
    }

    @Test func `a configured time of nothing is passed over`() {
        #expect(Self.resolve([:], configured: .zero).origin == .container)
    }
}
