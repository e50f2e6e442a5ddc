// SPDX-License-Identifier: MIT

import CacheStoreSQLite
import Dispatch
import Foundation
import Synchronization

/// Reads a store through in the background, a slice at a time, and compares the checksums of its
/// pages: after an unclean end, where opening had no time for it.
///
/// While others use the store it waits. What it has done is remembered in `<name>.scrub`, so that the
/// next session goes on there. It keeps neither the store nor the process alive, and ends when the
/// store is closed.
package final class StoreScrubber: Sendable {
    package struct Pace: Sendable {
        /// The pages of a slice: a megabyte takes about a millisecond.
        package var pages = 256
        /// The time between slices.
        package var pause = Duration.milliseconds(20)
        /// The slices after which the progress is written down.
        package var slicesPerNote = 64

        package init() {}
    }

    private struct State {
        var nextPage = 1
        var slices = 0
        /// Whether nobody used the store when it was last looked at.
        var wasIdle = false
    }

    private static let queue = DispatchQueue(label: "cachestore.scrub", qos: .background)

    private weak let file: StoreFile?
    private let pace: Pace
    private let paths: StorePaths
    private let identifier: UUID
    private let onDamage: @Sendable () -> Void
    private let state = Mutex(State())

    private init(
        _ file: StoreFile, pace: Pace, onDamage: @escaping @Sendable () -> Void
    ) {
        self.file = file
        self.pace = pace
        paths = file.paths
        identifier = file.identifier
        self.onDamage = onDamage
    }

    /// Starts to read a store through, if it has to be.
    ///
    /// - Parameter onDamage: called on a thread of the scrubber when the store was given up because of
    ///   what it found.
    package static func start(
        for file: StoreFile, pace: Pace = Pace(), onDamage: @escaping @Sendable () -> Void
    ) {
        guard file.needsScrub, file.options.scrubsInBackground else { return }
        let scrubber = StoreScrubber(file, pace: pace, onDamage: onDamage)
        scrubber.state.withLock {
            $0.nextPage = ScrubNote.read(scrubber.paths, scrubber.identifier)
        }
        scrubber.wait()
    }

    private func wait() {
        let pause = DispatchTimeInterval.microseconds(Int(pace.pause / .microseconds(1)))
        Self.queue.asyncAfter(deadline: .now() + pause) { [self] in step() }
    }

    private func step() {
        guard let file, !file.isClosedOrGivenUp else { return }
        let (page, isIdle) = state.withLock { state in
            let isIdle = file.pool.isIdle
            defer { state.wasIdle = isIdle }
            return (state.nextPage, isIdle && state.wasIdle)
        }
        guard isIdle else { return wait() }
        do {
            let next = try file.scrub(from: page, count: pace.pages)
            guard let next else { return ScrubNote.remove(paths) }
            let isDue = state.withLock { state in
                state.nextPage = next
                state.slices += 1
                return state.slices % pace.slicesPerNote == 0
            }
            if isDue { ScrubNote.write(next, paths, identifier) }
            wait()
        } catch PersistentStoreError.Code.damaged {
            ScrubNote.remove(paths)
            onDamage()
        } catch {
            // In the way of others, or others in the way of it.
            if !file.isClosedOrGivenUp { wait() }
        }
    }
}
