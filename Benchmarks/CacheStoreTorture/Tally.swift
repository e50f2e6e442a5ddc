// SPDX-License-Identifier: MIT

/// The results of one kind of damage.
struct Tally: Sendable {
    let name: String
    /// Whether every try must leave a store that works, not only those where something was found.
    private let mustAllWork: Bool
    private var tries = 0
    private var found = 0
    private var healed = 0
    private var silent = 0
    private var lost = 0
    /// Those of the silent and lost ones that are known not to be found.
    private var knownLimits = 0
    private(set) var complaints = 0

    init(name: String, mustAllWork: Bool = false) {
        self.name = name
        self.mustAllWork = mustAllWork
    }

    var isSound: Bool {
        complaints == 0 && healed == (mustAllWork ? tries : found)
            && silent + lost == knownLimits
    }

    /// - Parameter isLimit: whether it is known that this need not be found.
    mutating func add(
        _ finding: Finding, note: String, complaints: [String] = [], isLimit: Bool = false
    ) {
        tries += 1
        if finding.isFound { found += 1 }
        if finding.isHealed && (mustAllWork || finding.isFound) { healed += 1 }
        if finding.isSilent { silent += 1 }
        if finding.isLost { lost += 1 }
        if isLimit { knownLimits += (finding.isSilent ? 1 : 0) + (finding.isLost ? 1 : 0) }
        let isWrong = finding.isSilent || finding.isLost
        let isBroken = !finding.isHealed && (mustAllWork || finding.isFound)
        if isWrong && !isLimit || isBroken || !complaints.isEmpty {
            complain((complaints + ["\(finding)", note]).joined(separator: "; "))
        }
    }

    mutating func count(tries: Int, healed: Int, silent: Int, lost: Int) {
        self.tries += tries
        self.healed += healed
        self.silent += silent
        self.lost += lost
    }

    mutating func complain(_ text: String) {
        complaints += 1
        StandardStreams.tell("\(name): \(text)")
    }

    func printLine() {
        // Of a kill or a storm there is nothing to be found.
        let found = mustAllWork ? "-" : "\(self.found)"
        StandardStreams.printResult("\(name)\t\(tries)\t\(found)\t\(healed)\t\(silent)\t\(lost)")
    }
}
