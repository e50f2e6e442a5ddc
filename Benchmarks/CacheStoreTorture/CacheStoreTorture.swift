// SPDX-License-Identifier: MIT

import CacheStoreTestKit
import Foundation

/// Does to stores what happens to stores, and counts what comes of it.
///
/// Prints `damage<TAB>tries<TAB>found<TAB>healed<TAB>silent<TAB>lost`, a line for each kind of damage,
/// and nothing else on the standard output.
/// - *found*: the report of opening, or an error, says so; `-` where there is nothing to be found;
/// - *healed*: the next opening gives a store that works;
/// - *silent*: something was read that is not what was saved, without a report or an error;
/// - *lost*: something that was acknowledged was missing, without a report or an error.
///
/// The parts:
/// - *damage*: stores that were closed are damaged. Each try is made twice: once the store is read
///   through when it is opened, once only by fetching all objects, since a clean store is not read
///   through. What is not found must lie in free pages, or in pages that fetching does not read, and
///   is found then when the store is read through.
/// - *kills*: processes are killed in the middle of saving, cleaning up, resetting, migrating,
///   healing, creating and recovering.
/// - *faults*: each call of the system fails in turn, in nine ways, in the same works and more.
/// - *storms*: eight processes at once that do everything; and writers and checkpoints at once.
///   *tries* are the rows that were acknowledged.
///
/// In the environment,
/// - `ROUNDS` is the number of tries for each kind of damage, and of kills; from 1,000 on every call
///   of the system fails, below only some,
/// - `STORM` is the length of each storm in seconds,
/// - `SEED` decides all places, and is printed,
/// - `PARTS` names some of the parts,
/// - `CACHESTORE_CORPUS` is a folder with `corrupt/` in it, files that are tried as they are.
///
/// Ends with status 1 if anything was silent or lost, or not healed, or is worth a complaint on the
/// standard error; pages of older versions, which are a known limit, do not count.
@main
@MainActor
struct CacheStoreTorture {
    static func main() {
        CrashRunner.runWork(Torture.processes)
        do {
            let settings = try TortureSettings(ProcessInfo.processInfo.environment)
            StandardStreams.tell(
                "SEED=\(settings.seed) ROUNDS=\(settings.rounds) STORM=\(settings.stormSeconds)")
            Watchdog.shared.start()
            let isSound = try Torture(settings).run()
            exit(isSound ? 0 : 1)
        } catch {
            StandardStreams.tell("\(error)")
            exit(2)
        }
    }
}
