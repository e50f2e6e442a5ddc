// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The built program, run as a process of its own.
struct Command {
    /// How a run ended.
    struct Result {
        /// The exit status; the negative number of the signal that ended it.
        let code: Int32
        let output: String
        let errors: String
        let duration: Duration

        /// The output as JSON.
        func json() throws -> [String: Any] {
            let object = try JSONSerialization.jsonObject(with: Data(output.utf8))
            return try #require(object as? [String: Any])
        }
    }

    /// Beside the bundle of the tests.
    static let path: String = {
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        let directory = bundle.map { ($0 as NSString).deletingLastPathComponent } ?? "."
        return directory + "/cachestore"
    }()

    /// Where the output of a run goes, instead of to a file that is read afterwards.
    enum Output {
        case kept
        case device(String)
        /// A pipe that nobody reads.
        case closedPipe
    }

    @discardableResult
    static func run(
        _ arguments: String..., in directory: Directory, output: Output = .kept
    ) throws -> Result {
        try run(arguments, in: directory, output: output)
    }

    static func run(
        _ arguments: [String], in directory: Directory, output: Output = .kept
    ) throws -> Result {
        try #require(access(path, X_OK) == 0, "the program is not at \(path)")
        let name = UUID().uuidString
        let (out, err) = (directory.outside + "/\(name).out", directory.outside + "/\(name).err")
        var pipeEnds: [Int32] = [-1, -1]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        switch output {
        case .kept:
            posix_spawn_file_actions_addopen(&actions, 1, out, O_WRONLY | O_CREAT, 0o600)
        case .device(let device):
            posix_spawn_file_actions_addopen(&actions, 1, device, O_WRONLY, 0)
        case .closedPipe:
            try #require(pipe(&pipeEnds) == 0)
            for end in pipeEnds { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            posix_spawn_file_actions_adddup2(&actions, pipeEnds[1], 1)
            close(pipeEnds[0])
        }
        posix_spawn_file_actions_addopen(&actions, 2, err, O_WRONLY | O_CREAT, 0o600)
        // As a shell starts programs: with no signal ignored or blocked.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var words: [UnsafeMutablePointer<CChar>?] =
            (["env", "-C", directory.path, "TMPDIR=\(directory.outside)/tmp", path]
            + arguments).map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var child = pid_t()
        let start = ContinuousClock.now
        let spawned = posix_spawn(&child, "/usr/bin/env", &actions, &attributes, words, environ)
        if pipeEnds[1] >= 0 { close(pipeEnds[1]) }
        try #require(spawned == 0, "cannot start the program: \(spawned)")
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 { try #require(errno == EINTR) }
        let duration = ContinuousClock.now - start
        let signal = status & 0x7F
        return Result(
            code: signal == 0 ? (status >> 8) & 0xFF : -signal, output: text(out),
            errors: text(err), duration: duration)
    }

    private static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
}
