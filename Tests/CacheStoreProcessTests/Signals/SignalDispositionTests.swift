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

    // The child is woken by a shell that it starts itself: the test process may have no thread free
    // to do it, since each running exit test occupies one.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/stat")))
    func `a suspended process stops, goes on, and monitors again`() async throws {
        let path = temporary.path(of: "stopped")
        await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
            // The kernel stops no process of an orphaned group, as a session's first is.
            setpgid(0, 0)
            let waker = Process()
            waker.executableURL = URL(filePath: "/bin/sh")
            waker.arguments = [
                "-c",
                """
                n=0
                while [ $n -lt 2000 ] && kill -0 \(getpid()); do
                    if grep -q ') T ' /proc/\(getpid())/stat; then
                        : > '\(path)'
                        break
                    fi
                    n=$((n + 1))
                    sleep 0.01
                done
                kill -CONT \(getpid())
                """,
            ]
            try waker.run()
            let arrived = DispatchSemaphore(value: 0)
            let monitor = SignalMonitor(signals: [.suspend]) { _ in arrived.signal() }
            monitor.start()
            kill(getpid(), SIGTSTP)
            guard arrived.wait(timeout: .now() + .seconds(20)) == .success else { exit(10) }
            guard monitor.takePreviousCourse(of: .suspend) == .taken else { exit(11) }
            guard FileManager.default.fileExists(atPath: path) else { exit(12) }
            // Without this, a monitoring that does not go on would stop the process for good.
            guard SignalDisposition.current(of: .suspend).kind == .handler else { exit(13) }
            kill(getpid(), SIGTSTP)
            guard arrived.wait(timeout: .now() + .seconds(20)) == .success else { exit(14) }
            exit(3)
        }
    }
}
