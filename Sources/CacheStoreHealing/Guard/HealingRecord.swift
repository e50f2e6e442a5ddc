// SPDX-License-Identifier: MIT

/// How often a store was healed lately, and what was being done to it when this was written.
///
/// Kept in a small file beside the store, since the store itself is what may be broken. Nothing in
/// it goes by the clock: it counts within one boot of the machine, and what counts against healing
/// again is what has happened since the store was last found whole.
struct HealingRecord: Sendable, Hashable {
    /// What changes a store as a whole, and could end the process each time it is tried.
    enum Step: String, Sendable, Hashable {
        case reset, setAside, migration, creation

        /// Whether objects are given up by it, so that doing it too often counts although it works.
        var isLossy: Bool { self == .reset || self == .setAside }
    }

    /// What is about to be done.
    struct Intent: Sendable, Hashable {
        var step: Step
        /// A few words.
        var cause: String
        /// For a person who reads the file.
        var process: Int32
    }

    /// The boot in which the counts were made.
    var boot: String
    /// How often a process ended in the middle.
    var crashes = 0
    /// How often objects were given up.
    var healings = 0
    /// For how many openings the store has been left alone since the last try.
    var skipped = 0
    var intent: Intent?

    init(boot: String) { self.boot = boot }

    /// Whether there is nothing to remember.
    var isEmpty: Bool { crashes == 0 && healings == 0 && intent == nil }

    // MARK: Counting

    /// The record as the next opening takes it: an intent that is still there is that of a process
    /// that did not get to its end; counts of an earlier boot are over.
    func taken(over boot: String) -> HealingRecord {
        var record = self.boot == boot ? self : HealingRecord(boot: boot)
        if intent != nil { record.crashes += 1 }
        record.intent = nil
        return record
    }

    /// Whether a step may be tried.
    ///
    /// After as many failures as the limit says, the store is left alone for four openings, then
    /// tried once more; after another failure for eight, and so on. So a program that crashes over
    /// its store starts nearly always, and a store whose trouble is over comes back.
    func permits(_ step: Step, limit: Int) -> Bool {
        let count = step.isLossy ? crashes + healings : crashes
        guard count >= max(1, limit) else { return true }
        return skipped >= Self.pause(after: count - max(1, limit))
    }

    private static func pause(after retries: Int) -> Int { 4 << min(retries, 8) }

    mutating func begin(_ intent: Intent) {
        self.intent = intent
        skipped = 0
    }

    /// - Parameter isDone: whether the step did what it does; else it failed with an error, which
    ///   was told and is no crash.
    mutating func end(isDone: Bool) {
        if isDone, intent?.step.isLossy == true { healings += 1 }
        intent = nil
    }

    mutating func skip() { skipped += 1 }

    /// Takes note of a session that began and ended with a store that was whole.
    mutating func noteHealthySession() {
        crashes = max(0, crashes - 1)
        healings = max(0, healings - 1)
    }
}

extension HealingRecord {
    private static let title = "CacheStore healing 1"
    private static let countLimit = 1_000_000

    /// The text of the file.
    var text: String {
        var lines = [
            Self.title, "boot \(boot)", "crashes \(crashes)", "healings \(healings)",
            "skipped \(skipped)",
        ]
        if let intent {
            lines.append("intent \(intent.step.rawValue) \(intent.process) \(intent.cause)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Reads the text of the file; `nil` where it is not one that ``text`` gives.
    init?(parsing text: String) {
        var lines = text.split(separator: "\n")[...]
        guard lines.popFirst().map(String.init) == Self.title,
            let boot = Self.value("boot", lines.popFirst()),
            let crashes = Self.count("crashes", lines.popFirst()),
            let healings = Self.count("healings", lines.popFirst()),
            let skipped = Self.count("skipped", lines.popFirst())
        else { return nil }
        self.init(boot: String(boot))
        self.crashes = crashes
        self.healings = healings
        self.skipped = skipped
        guard let line = lines.popFirst() else { return }
        let words = line.split(separator: " ", maxSplits: 3)
        guard words.count >= 3, words[0] == "intent", let step = Step(rawValue: String(words[1])),
            let process = Int32(words[2])
        else { return nil }
        let cause = words.count > 3 ? String(words[3]) : ""
        intent = Intent(step: step, cause: cause, process: process)
    }

    private static func value(_ key: String, _ line: Substring?) -> Substring? {
        guard let line, line.hasPrefix(key + " ") else { return nil }
        return line.dropFirst(key.count + 1)
    }

    private static func count(_ key: String, _ line: Substring?) -> Int? {
        value(key, line).flatMap { Int($0) }.flatMap { 0...countLimit ~= $0 ? $0 : nil }
    }
}
