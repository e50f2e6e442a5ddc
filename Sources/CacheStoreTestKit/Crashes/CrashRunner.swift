// SPDX-License-Identifier: MIT
public import Foundation
import Synchronization

/// Kills processes in the middle of their work, at points that a seed decides, for tests of what is
/// left.
///
/// A test has three parts: a process does something to a store and *acknowledges* what is done; it
/// is killed; the test opens the store and compares. With Swift Testing the process is that of an
/// exit test, and a ``Crash`` is what it captures:
///
/// ```swift
/// @Test func `what was saved survives`() async throws {
///     let runner = try CrashRunner()
///     for _ in 1...100 {
///         let crash = runner.nextCrash(.systemCalls(1_000))
///         await #expect(processExitsWith: .signal(SIGKILL)) { [crash = crash as Crash] in
///             crash.run { crash in
///                 let cache = try openMyCache(in: crash.folder)
///                 for number in try cache.nextNumber()... {
///                     try cache.save(number)
///                     crash.acknowledge("\(number)")
///                 }
///             }
///         }
///         let last = runner.acknowledgements.last.flatMap { Int($0) } ?? 0
///         #expect(try openMyCache(in: runner.folder).has(1...last), "\(crash)")
///     }
/// }
/// ```
///
/// A program without Swift Testing starts itself again: ``start(_:in:environment:)``.
///
/// The folder and all that the runner keeps is deleted with it. Any thread may use a runner.
public final class CrashRunner: Sendable {
    /// Decides all points. Print it when a test fails: `CACHESTORE_TEST_SEED` in the environment
    /// repeats a run, as far as time can be repeated.
    public let seed: UInt64
    /// An empty folder for the store, outside of which nothing fails and nothing is counted.
    public let folder: URL

    private let root: String
    private let random: Mutex<SeededRandomNumberGenerator>
    private let count = Mutex(0)

    /// Creates a runner with a folder of its own.
    ///
    /// - Parameters:
    ///   - seed: decides all points; `nil` is that of the environment, or any.
    ///   - parent: where the folder is made; `nil` is the system's folder for temporary files.
    /// - Throws: an error of the file system.
    public init(seed: UInt64? = nil, in parent: URL? = nil) throws {
        let wanted = ProcessInfo.processInfo.environment["CACHESTORE_TEST_SEED"]
        let seed = seed ?? wanted.flatMap { UInt64($0) } ?? UInt64.random(in: 0 ... .max)
        self.seed = seed
        random = Mutex(SeededRandomNumberGenerator(seed: seed))
        let parent = parent ?? FileManager.default.temporaryDirectory
        let root = parent.appending(path: "crashes-\(UUID().uuidString)")
        folder = root.appending(path: "store", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        self.root = root.path(percentEncoded: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    /// Where a process can be killed.
    public struct Range: Sendable, Hashable {
        enum Value: Sendable, Hashable {
            case time(Duration)
            case systemCalls(Int)
        }

        let value: Value

        /// At any time until so much has passed.
        public static func time(_ limit: Duration) -> Self { Self(value: .time(limit)) }

        /// At any of so many calls of the system on files of the store: before it, or in the middle
        /// of a write. What the process did until then can be repeated exactly. Where
        /// ``SystemFaultPlan`` is not available, at any time within 50 microseconds for each call.
        public static func systemCalls(_ limit: Int) -> Self { Self(value: .systemCalls(limit)) }
    }

    /// Decides where the next process is killed.
    public func nextCrash(_ range: Range) -> Crash {
        let point: Crash.Point = random.withLock { random in
            switch range.value {
            case .time(let limit):
                return .time(
                    microseconds: .random(in: 0...Self.microseconds(limit), using: &random))
            case .systemCalls(let limit):
                let call = Int.random(in: 0..<max(1, limit), using: &random)
                let isTorn = Bool.random(using: &random)
                return SystemFaultPlan.isAvailable
                    ? .systemCall(after: call, isTorn: isTorn) : .time(microseconds: 50 * call)
            }
        }
        return crash(at: point)
    }

    /// Kills the next process at a given call of the system: the loop that walks over all of them.
    ///
    /// - Parameters:
    ///   - count: how many calls come first.
    ///   - isTorn: whether half of it is done, if it is a write.
    public func crash(afterSystemCalls count: Int, isTorn: Bool = false) -> Crash {
        crash(at: .systemCall(after: max(0, count), isTorn: isTorn))
    }

    /// A process that is not killed: it ends when its work does, with status 0.
    public func process() -> Crash { crash(at: .never) }

    private func crash(at point: Crash.Point) -> Crash {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return Crash(
            seed: seed, number: number, point: point,
            path: folder.path(percentEncoded: false), journal: "\(root)/acknowledged-\(number)")
    }

    /// What all processes so far have acknowledged, one process after the other.
    public var acknowledgements: [String] { acknowledgementsByProcess.flatMap(\.lines) }

    /// What each process so far has acknowledged, in the order in which they were made.
    public var acknowledgementsByProcess: [(process: Int, lines: [String])] {
        let count = count.withLock { $0 }
        return (0..<count).map { ($0 + 1, Crash.lines(of: "\(root)/acknowledged-\($0 + 1)")) }
    }

    private static func microseconds(_ duration: Duration) -> Int {
        let parts = duration.components
        return max(0, Int(parts.seconds) * 1_000_000 + Int(parts.attoseconds / 1_000_000_000_000))
    }
}
