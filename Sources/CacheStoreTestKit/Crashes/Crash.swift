// SPDX-License-Identifier: MIT
public import Foundation

/// A process that is to be killed: what an exit test captures, and what its process works with.
///
/// Made by a ``CrashRunner``. The same value is used in both processes: here to look at what was
/// acknowledged, there to do the work.
public struct Crash: Sendable, Hashable, Codable {
    enum Point: Sendable, Hashable, Codable {
        case time(microseconds: Int)
        case systemCall(after: Int, isTorn: Bool)
        case never
    }

    /// The seed of the runner.
    public let seed: UInt64
    /// Which of the runner's processes this is, from 1.
    public let number: Int
    /// How long the process may take: after that it counts as hanging, and is ended with status 99.
    /// Ten minutes by default.
    public var timeLimit = Duration.seconds(600)
    let point: Point
    let path: String
    let journal: String

    /// The folder of the store.
    public var folder: URL { URL(filePath: path, directoryHint: .isDirectory) }

    // MARK: In the process

    /// Does the work, and is killed in the middle of it; or when it is done, if the point was not
    /// reached by then. Never returns.
    ///
    /// An error that the work throws ends the process with status 1, and so does not look like a
    /// crash. A process that hangs (``timeLimit``) is ended with status 99.
    ///
    /// - Parameter body: the work. It acknowledges what is done.
    public func run(_ body: (Crash) throws -> Void) -> Never {
        let plan = begin()
        let result = Result { try body(self) }
        end(result, plan)
    }

    /// Does the work as the other form does, where it has to wait for something.
    ///
    /// - Parameters:
    ///   - isolation: the actor of the caller, where the work is done.
    ///   - body: the work. It acknowledges what is done.
    public func run(
        isolation: isolated (any Actor)? = #isolation, _ body: (Crash) async throws -> Void
    ) async -> Never {
        let plan = begin()
        do {
            try await body(self)
            end(.success(()), plan)
        } catch {
            end(.failure(error), plan)
        }
    }

    /// Says that something is done and must survive. It survives the process itself: one system
    /// call, to a file that no plan touches.
    ///
    /// Ends the process with status 98 if that fails.
    public func acknowledge(_ line: String) {
        precondition(!line.contains("\n"), "an acknowledgement is one line")
        let file = Foundation.open(journal, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { _exit(98) }
        let bytes = Array("\(line)\n".utf8)
        guard write(file, bytes, bytes.count) == bytes.count else { _exit(98) }
        close(file)
    }

    private func begin() -> SystemFaultPlan? {
        let timeLimit = timeLimit / .seconds(1)
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: timeLimit)
            _exit(99)
        }
        switch point {
        case .never: break
        case .time(let microseconds):
            Thread.detachNewThread {
                usleep(UInt32(clamping: microseconds))
                kill(getpid(), SIGKILL)
            }
        case .systemCall(let count, let isTorn):
            guard let plan = try? SystemFaultPlan(for: folder) else { _exit(97) }
            plan.failNext(after: count, effect: isTorn ? .tearsAndKills : .kills)
            return plan
        }
        return nil
    }

    private func end(_ result: Result<Void, any Error>, _ plan: SystemFaultPlan?) -> Never {
        plan?.disarm()
        if case .failure(let error) = result {
            let text = "crash \(number): \(error)\n"
            try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
            _exit(1)
        }
        if point == .never { exit(0) }
        kill(getpid(), SIGKILL)
        while true { pause() }
    }

    // MARK: In the test

    /// What this process has acknowledged.
    public var acknowledgements: [String] { Self.lines(of: journal) }

    static func lines(of path: String) -> [String] {
        guard let data = FileManager.default.contents(atPath: path) else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

extension Crash: CustomStringConvertible {
    /// The seed, the number and the point, as a failed test should print them.
    public var description: String {
        let place =
            switch point {
            case .time(let microseconds): "after \(microseconds) µs"
            case .systemCall(let count, let isTorn):
                isTorn ? "in the middle of system call \(count)" : "before system call \(count)"
            case .never: "not killed"
            }
        return "seed \(seed), process \(number), \(place)"
    }
}
