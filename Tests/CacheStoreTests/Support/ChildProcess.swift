// SPDX-License-Identifier: MIT

import CacheStore
import Dispatch
import Foundation
import Synchronization

/// What tests with processes of their own need. Each such body runs in a process that this file
/// ends with a code of its own if something is not as it should be.
enum Child {
    /// Ends the process when nothing has ended it in time: a test must not hang.
    static func limit(_ seconds: Int = 60) {
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: TimeInterval(seconds))
            _exit(99)
        }
    }

    /// Sends a signal to this very process.
    static func send(_ signal: ProcessSignal) { kill(getpid(), signal.rawValue) }

    /// Blocks the calling thread for good.
    static func block() -> Never {
        while true { Thread.sleep(forTimeInterval: 60) }
    }

    /// Appends a line to a file, in one system call: it survives the end of the process.
    static func write(_ line: String, to path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { _exit(98) }
        let bytes = Array("\(line)\n".utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { _exit(97) }
        close(descriptor)
    }

    /// The lines that were written to a file.
    static func lines(of path: String) -> [String] {
        guard let data = FileManager.default.contents(atPath: path) else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

extension PersistentStoreManager.Configuration {
    /// Autosave as programs have it, with the log in a file and times that suit a test.
    mutating func enableAutosave(
        gracePeriod: Duration = .milliseconds(300), log path: String
    ) {
        autosave = PersistentStoreManager.Autosave()
        autosave.delay = nil
        autosave.gracePeriod = gracePeriod
        autosave.deadline = .seconds(50)
        log = { Child.write($0, to: path) }
    }
}
