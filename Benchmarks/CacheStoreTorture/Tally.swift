// SPDX-License-Identifier: MIT

/// The results of one kind of damage.
struct Tally: Sendable {
    let name: String
    /// Whether it is known that not all is found.
    private let isLimit: Bool
    /// Whether every try must leave a store that works, not only those where something was found.
    private let mustAllWork: Bool
    private var tries = 0
    private var found = 0
    private var healed = 0
    private var silent = 0
    private var lost = 0
    private(set) var complaints = 0

    init(name: String, isLimit: Bool = false, mustAllWork: Bool = false) {
        self.name = name
        self.isLimit = isLimit
        self.mustAllWork = mustAllWork
    }

    var isSound: Bool {
        complaints == 0 && healed == (mustAllWork ? tries : found)
            && (isLimit || silent == 0 && lost == 0)
    }

    mutating func add(_ finding: Finding, note: String, complaints: [String] = []) {
        tries += 1
        if finding.isFound { found += 1 }
        if finding.isHealed && (mustAllWork || finding.isFound) { healed += 1 }
        if finding.isSilent { silent += 1 }
        if finding.isLost { lost += 1 }
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
