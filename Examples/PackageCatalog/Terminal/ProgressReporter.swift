// SPDX-License-Identifier: MIT

import Foundation

/// Shows how far a long job is: a bar on a terminal, and a line for every tenth elsewhere.
struct ProgressReporter {
    /// How the progress is shown.
    enum Style: Sendable, Equatable {
        /// One line that is drawn over and over, as wide as given.
        case bar(width: Int)
        /// A line of its own for every ten per cent.
        case lines
    }

    private let title: String
    private let style: Style
    private let write: (String) -> Void
    private var lastPercent = -1
    private var isFinished = false

    /// Creates a reporter.
    ///
    /// - Parameters:
    ///   - title: What is being done.
    ///   - style: How to show it.
    ///   - write: Takes the text to show, line ends and all.
    init(title: String, style: Style, write: @escaping (String) -> Void) {
        self.title = title
        self.style = style
        self.write = write
    }

    /// Creates a reporter that writes to standard error, as suits what that is connected to.
    init(title: String) {
        self.init(title: title, style: Self.styleOfStandardError()) { text in
            try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
        }
    }

    /// Shows that a part of the whole is done; nothing is written unless a step is reached.
    ///
    /// The whole may be an estimate: 99 % is the most that is shown before ``finish(_:)``.
    mutating func update(completed: Int, of total: Int, _ detail: @autoclosure () -> String = "") {
        guard !isFinished else { return }
        let share = total > 0 ? Double(completed) / Double(total) : 0
        let percent = Int((share * 100).rounded(.down).clamped(to: 0...99))
        switch style {
        case .bar:
            guard percent > lastPercent else { return }
            lastPercent = percent
            write(bar(percent, detail()))
        case .lines:
            guard percent / 10 > max(lastPercent, 0) / 10 else { return }
            lastPercent = percent
            write(line(percent / 10 * 10, detail()))
        }
    }

    /// Shows that all is done.
    mutating func finish(_ detail: String = "") {
        guard !isFinished else { return }
        isFinished = true
        switch style {
        case .bar: write(bar(100, detail) + "\n")
        case .lines: write(line(100, detail))
        }
    }

    private func line(_ percent: Int, _ detail: String) -> String {
        "\(title): \(percent) %" + (detail.isEmpty ? "" : ", \(detail)") + "\n"
    }

    private func bar(_ percent: Int, _ detail: String) -> String {
        guard case .bar(let width) = style else { return "" }
        let number = String(repeating: " ", count: percent < 10 ? 2 : percent < 100 ? 1 : 0)
        let before = "\(title) ["
        let after = "] \(number)\(percent) %" + (detail.isEmpty ? "" : "  \(detail)")
        let room = width - 1 - before.count - after.count
        guard room >= 8 else {
            return "\r" + String("\(title) \(percent) %".prefix(max(width - 1, 1))) + Self.eraseRest
        }
        let length = min(room, 40)
        let full = length * percent / 100
        return "\r" + before + String(repeating: "#", count: full)
            + String(repeating: "-", count: length - full) + after + Self.eraseRest
    }

    /// The control sequence that clears a terminal's line from the cursor on.
    private static let eraseRest = "\u{1B}[K"

    private static func styleOfStandardError() -> Style {
        guard isatty(STDERR_FILENO) == 1,
            ProcessInfo.processInfo.environment["TERM"] != "dumb"
        else { return .lines }
        var size = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return .bar(width: isKnown ? Int(size.ws_col) : 80)
    }
}

extension Double {
    fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
