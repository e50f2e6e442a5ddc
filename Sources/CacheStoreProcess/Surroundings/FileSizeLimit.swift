// SPDX-License-Identifier: MIT

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The largest size of a file that this process may write: `ulimit -f`, or `LimitFSIZE=` of a service.
package enum FileSizeLimit {
    /// The limit in bytes; `nil` where there is none.
    package static var current: Int64? {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #else
            let resource = RLIMIT_FSIZE
        #endif
        // The highest number stands for no limit.
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(Int64.max) else {
            return nil
        }
        return Int64(limit.rlim_cur)
    }

    /// Makes a write beyond the limit the error `EFBIG`, where it would end the process.
    ///
    /// The system sends `SIGXFSZ` as well, whose default course is the end. Where there is a limit, and
    /// the program has made no arrangement for the signal, it is ignored from now on, in the whole
    /// process: it is sent to whichever thread writes, and every write looks at its result.
    package static func becomeAnError() {
        guard current != nil else { return }
        let signal = ProcessSignal(rawValue: SIGXFSZ)
        guard SignalDisposition.current(of: signal).kind == .standard else { return }
        SignalDisposition.ignored.install(for: signal)
    }
}
