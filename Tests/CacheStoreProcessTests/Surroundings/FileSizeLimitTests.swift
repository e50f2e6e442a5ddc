// SPDX-License-Identifier: MIT

import CacheStoreProcess
import Foundation
import Testing

@Suite struct FileSizeLimitTests {
    /// Sets the limit, and lets the signal come as it comes to a program's main thread.
    private static func limit(to bytes: Int) {
        signal(SIGXFSZ, SIG_DFL)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGXFSZ)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t.max)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }

    private static func writeTooMuch() -> Bool {
        let file = tmpfile()
        let bytes = [UInt8](repeating: 1, count: 20_000)
        let first = write(fileno(file), bytes, bytes.count)
        guard first == 10_000 else { return false }
        return write(fileno(file), bytes, bytes.count) == -1 && errno == EFBIG
    }

    @Test func `without it, a write beyond the limit ends the process`() async {
        await #expect(processExitsWith: .signal(SIGXFSZ)) {
            Self.limit(to: 10_000)
            _ = Self.writeTooMuch()
        }
    }

    @Test func `a write beyond the limit is an error`() async {
        await #expect(processExitsWith: .success) {
            Self.limit(to: 10_000)
            #expect(FileSizeLimit.current == 10_000)
            FileSizeLimit.becomeAnError()
            #expect(Self.writeTooMuch())
        }
    }

    @Test func `without a limit the signal keeps its course`() async {
        await #expect(processExitsWith: .success) {
            try #require(FileSizeLimit.current == nil)
            signal(SIGXFSZ, SIG_DFL)
            FileSizeLimit.becomeAnError()
            let signal = ProcessSignal(rawValue: SIGXFSZ)
            #expect(SignalDisposition.current(of: signal).kind == .standard)
        }
    }

    @Test func `the program's own handler stays`() async {
        await #expect(processExitsWith: .success) {
            Self.limit(to: 10_000)
            signal(SIGXFSZ) { _ in }
            FileSizeLimit.becomeAnError()
            let signal = ProcessSignal(rawValue: SIGXFSZ)
            #expect(SignalDisposition.current(of: signal).kind == .handler)
        }
    }
}
