// SPDX-License-Identifier: MIT

import Foundation

/// A horizontal bar for each task: ours divided by raw.
struct RatioBars {
    private static let rowHeight = 26.0
    private static let labelWidth = 124.0
    private static let valueWidth = 200.0

    private let results: [Comparison]
    /// The ratio at the right end of the axis.
    private let maximum: Double

    init(_ results: [Comparison]) {
        self.results = results
        maximum = max(2, (results.compactMap(\.ratio).max() ?? 2).rounded(.up))
    }

    var height: Double { Double(results.count) * Self.rowHeight + 20 }

    func draw(in drawing: inout SVGDrawing, x: Double, y: Double, width: Double) {
        let left = x + Self.labelWidth
        let scale = (width - Self.labelWidth - Self.valueWidth) / maximum
        let bottom = y + Double(results.count) * Self.rowHeight
        for step in stride(from: 0, through: maximum, by: maximum > 5 ? 1 : 0.5) {
            let tick = left + step * scale
            let isOne = step == 1
            drawing.line(
                from: (tick, y), to: (tick, bottom),
                style: step == 0 ? "axis" : isOne ? "one" : "grid")
            drawing.text(
                isOne ? "1 = raw C" : String(format: "%g", step), x: tick, y: bottom + 16,
                anchor: .middle, style: "note")
        }
        for (index, result) in results.enumerated() {
            guard let raw = result.raw, let ratio = result.ratio else { continue }
            let top = y + Double(index) * Self.rowHeight
            let middle = top + Self.rowHeight / 2
            drawing.text(result.name, x: left - 10, y: middle + 4, anchor: .end)
            drawing.box(x: left, y: top + 5, width: ratio * scale, height: 16, style: "ours")
            if let target = BenchmarkTask(rawValue: result.name)?.target, target <= maximum {
                let place = left + target * scale
                drawing.line(from: (place, top + 2), to: (place, top + 24), style: "target")
            }
            let isMemory = result.unit == .kibibytes
            let divisor = isMemory ? 1_024.0 : 1
            let (our, rival) = (Self.amount(result.ours / divisor), Self.amount(raw / divisor))
            drawing.text(
                String(format: "%.2f", ratio), x: x + width - Self.valueWidth + 12, y: middle + 4)
            drawing.text(
                "\(our) against \(rival) \(isMemory ? "MiB" : result.unit.rawValue)",
                x: x + width - Self.valueWidth + 48, y: middle + 4, style: "note")
        }
        drawing.line(
            from: (left + maximum * scale + 20, bottom + 6),
            to: (left + maximum * scale + 20, bottom + 18), style: "target")
        drawing.text(
            "target", x: left + maximum * scale + 28, y: bottom + 16, style: "note")
    }

    private static func amount(_ value: Double) -> String {
        switch value {
        case ..<10: String(format: "%.2f", value)
        case ..<1_000: String(format: "%.0f", value)
        default: String(format: "%.0f k", value / 1_000)
        }
    }
}
