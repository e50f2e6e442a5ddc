// SPDX-License-Identifier: MIT

import CacheStoreTestKit
import Foundation

/// Damages stores that were closed, and looks at what opening and reading them makes of it.
///
/// Prints `damage<TAB>tries<TAB>found<TAB>healed<TAB>silent<TAB>lost`, a line for each kind of damage,
/// and nothing else on the standard output. Each try is made twice: once the store is read through
/// when it is opened, once only by fetching all objects, since a clean store is not read through.
/// - *found*: both times the report of opening, or an error, says so;
/// - *healed*: the next opening then gives a store that works;
/// - *silent*: something was read that is not what was saved, without a report or an error;
/// - *lost*: an object that was saved was missing, without a report or an error.
///
/// Damage that is not found and harms nothing (in a page that is free, say) is counted on the
/// standard error. In the environment,
/// - `ROUNDS` is the number of tries for each kind of damage,
/// - `SEED` decides all places, and is printed,
/// - `CACHESTORE_CORPUS` is a folder with `corrupt/` in it, files that are tried as they are.
///
/// Ends with status 1 if anything was silent or lost, or not healed; pages of older versions, which
/// are a known limit, do not count.
@main
@MainActor
struct CacheStoreTorture {
    static func main() {
        do {
            let settings = try TortureSettings(ProcessInfo.processInfo.environment)
            StandardStreams.tell("SEED=\(settings.seed) ROUNDS=\(settings.rounds)")
            let isSound = try Torture(settings).run()
            exit(isSound ? 0 : 1)
        } catch {
            StandardStreams.tell("\(error)")
            exit(2)
        }
    }
}
