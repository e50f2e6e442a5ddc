// SPDX-License-Identifier: MIT

import CacheStoreProcess
import Foundation
import Testing

@Suite struct SignalDispositionTests {
    private let temporary: TemporaryDirectory

    init() throws { temporary = try TemporaryDirectory() }

    @Test(arguments: [ProcessSignal.terminate, .interrupt, .hangUp, .quit])
    func `a signal that ends the process takes its default course`(signal: ProcessSignal) {
        #expect(signal.defaultCourse == .ending)
    }

    @Test func `the default course goes past the program's own handler`() async {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            signal(SIGTERM) { _ in _exit(10) }
            SignalDisposition.takeDefaultCourse(of: .terminate)
            exit(11)
        }
    }

    @Test func `the default course is taken although the signal is blocked`() async {
        await #expect(processExitsWith: .signal(SIGHUP)) {
            var set = sigset_t()
            sigfillset(&set)
            pthread_sigmask(SIG_BLOCK, &set, nil)
            SignalDisposition.takeDefaultCourse(of: .hangUp)
            exit(11)
        }
    }

    @Test func `a shell sees 128 and the number of the signal`() {
        #expect(ProcessSignal.terminate.shellExitStatus == 143)
        #expect(ProcessSignal.interrupt.shellExitStatus == 130)
    }

    @Test func `a signal is described by its name`() {
        #expect(ProcessSignal.terminate.description == "SIGTERM")
        #expect(ProcessSignal(rawValue: 30).description == "signal 30")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/stat")))
    func `a suspended process stops, goes on, and monitors again`() async throws {
        let path = temporary.path(of: "pid")
        async let outcome = #expect(processExitsWith: .exitCode(3)) {
            [path = path as String] in
            // The kernel stops no process of an orphaned group, as a session's first is.
            setpgid(0, 0)
            let arrived = DispatchSemaphore(value: 0)
            let monitor = SignalMonitor(signals: [.suspend]) { _ in arrived.signal() }
            monitor.start()
            kill(getpid(), SIGTSTP)
            guard arrived.wait(timeout: .now() + .seconds(20)) == .success else { exit(10) }
            try Data("\(getpid())".utf8).write(to: URL(filePath: path), options: .atomic)
            guard monitor.takePreviousCourse(of: .suspend) == .taken else { exit(11) }
            guard FileManager.default.fileExists(atPath: path + ".stopped") else { exit(12) }
            // Without this, a monitoring that does not go on would stop the process for good.
            guard SignalDisposition.current(of: .suspend).kind == .handler else { exit(13) }
            kill(getpid(), SIGTSTP)
            guard arrived.wait(timeout: .now() + .seconds(20)) == .success else { exit(14) }
            exit(3)
        }
        let child = try await Self.stoppedProcess(namedIn: path)
        if let child {
            try Data().write(to: URL(filePath: path + ".stopped"))
            kill(child, SIGCONT)
        }
        _ = await outcome
        #expect(child != nil, "The process did not stop.")
    }

    /// Waits until the process whose ID is in a file has stopped; ends it if it does not stop.
    private static func stoppedProcess(namedIn path: String) async throws -> pid_t? {
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            if let child = pid_t(text(of: path)), text(of: "/proc/\(child)/stat").contains(") T ") {
                return child
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        if let child = pid_t(text(of: path)) { kill(child, SIGKILL) }
        return nil
    }

    /// The start of a file, which in `/proc` has no size to ask for.
    private static func text(of path: String) -> String {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = max(read(descriptor, &bytes, bytes.count), 0)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
