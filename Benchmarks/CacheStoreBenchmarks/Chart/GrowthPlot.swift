// SPDX-License-Identifier: MIT

import Foundation

/// One kind of `growth` line as two curves over the number of rows, on a logarithmic axis.
struct GrowthPlot {
    static let height = 190.0
    private static let labelWidth = 44.0

    private struct Point {
        let size: Double
        let ours: Double
        let raw: Double
    }

    private let heading: String
    private let points: [Point]

    var pointCount: Int { points.count }

    init(kind: String, heading: String, results: [Comparison]) {
        self.heading = heading
        let prefix = "growth-\(kind)-"
        points = results.compactMap { result in
            guard result.name.hasPrefix(prefix), let raw = result.raw,
                let size = Double(result.name.dropFirst(prefix.count))
            else { return nil }
            return Point(size: size, ours: result.ours, raw: raw)
        }
    }

    func draw(in drawing: inout SVGDrawing, x: Double, y: Double, width: Double) {
        let left = x + Self.labelWidth
        let right = x + width - 16
        let top = y + 30
        let bottom = y + Self.height - 10
        let highest = Self.roundedUp(points.map { max($0.ours, $0.raw) }.max() ?? 1)
        let sizes = points.map { log10($0.size) }
        let (first, last) = (sizes.min() ?? 0, sizes.max() ?? 1)
        func place(_ size: Double, _ value: Double) -> (x: Double, y: Double) {
            let share = last > first ? (log10(size) - first) / (last - first) : 0
            return (left + share * (right - left), bottom - value / highest * (bottom - top))
        }
        drawing.text(heading, x: left, y: y + 16)
        for step in 0...4 {
            let value = highest * Double(step) / 4
            let line = place(points.first?.size ?? 1, value).y
            drawing.line(
                from: (left, line), to: (right, line), style: step == 0 ? "axis" : "grid")
            drawing.text(
                String(format: "%g", value), x: left - 6, y: line + 4, anchor: .end, style: "note")
        }
        for point in points {
            let tick = place(point.size, 0).x
            drawing.line(from: (tick, bottom), to: (tick, bottom + 4), style: "axis")
            drawing.text(
                Self.name(ofSize: point.size), x: tick, y: bottom + 17, anchor: .middle,
                style: "note")
        }
        drawing.curve(points.map { place($0.size, $0.raw) }, style: "raw-line")
        drawing.curve(points.map { place($0.size, $0.ours) }, style: "ours-line")
    }

    private static func name(ofSize size: Double) -> String {
        size >= 1_000_000
            ? String(format: "%.0f M", size / 1_000_000)
            : String(format: "%.0f k", size / 1_000)
    }

    /// The next of 1, 2, 4, 6, 8, 10 times a power of ten: it divides into four readable steps.
    private static func roundedUp(_ value: Double) -> Double {
        let power = pow(10, log10(max(value, 0.001)).rounded(.down))
        return ([1, 2, 4, 6, 8].first { $0 * power >= value } ?? 10) * power
    }
}
