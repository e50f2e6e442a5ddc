// SPDX-License-Identifier: MIT

/// The results of one kind of damage.
struct Tally: Sendable {
    let name: String
    /// Whether it is known that not all is found.
    private let isLimit: Bool
    private var tries = 0
    private var found = 0
    private var healed = 0
    private var silent = 0
    private var lost = 0

    init(name: String, isLimit: Bool = false) {
        self.name = name
        self.isLimit = isLimit
    }

    var isSound: Bool { healed == found && (isLimit || silent == 0 && lost == 0) }

    mutating func add(_ finding: Finding, note: String) {
        tries += 1
        if finding.isFound { found += 1 }
        if finding.isFound && finding.isHealed { healed += 1 }
        if finding.isSilent { silent += 1 }
        if finding.isLost { lost += 1 }
        let isWrong = finding.isSilent || finding.isLost
        if isWrong && !isLimit || finding.isFound && !finding.isHealed {
            StandardStreams.tell("\(note): \(finding)")
        }
    }

    func printLine() {
        StandardStreams.printResult("\(name)\t\(tries)\t\(found)\t\(healed)\t\(silent)\t\(lost)")
        let harmless = tries - found
        if harmless > 0 && silent == 0 && lost == 0 {
            StandardStreams.tell("\(name): \(harmless) changed nothing that is ever read")
        }
    }
}
