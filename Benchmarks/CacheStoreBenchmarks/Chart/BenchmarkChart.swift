// SPDX-License-Identifier: MIT

import Foundation

/// The drawing of a whole run: a bar for each task, and below the curves of growth.
struct BenchmarkChart {
    private static let width = 820.0
    private static let margin = 24.0

    let results: [Comparison]

    func write(to file: URL) throws {
        let parts = [BenchmarkTask.growth, .checksums].map { $0.rawValue + "-" }
        let bars = RatioBars(
            results.filter { result in
                result.ratio != nil && !parts.contains { result.name.hasPrefix($0) }
            })
        let plots = [
            "insert": "insert a row", "lookup": "look up a text", "save": "save 100 changes",
        ]
        .sorted { $0.key < $1.key }
        .map { GrowthPlot(kind: $0.key, heading: $0.value, results: results) }
        .filter { $0.pointCount > 1 }
        let plotTop = 76 + bars.height + 56
        var drawing = SVGDrawing(
            width: Self.width,
            height: plots.isEmpty ? plotTop - 24 : plotTop + GrowthPlot.height + 56)
        let title = "CacheStore and the C interface of SQLite"
        drawing.text(title, x: Self.margin, y: 32, style: "title")
        drawing.text(
            "Ours as a multiple of raw C, the same rows in the same process: less is better, "
                + "but for concurrent-reads.",
            x: Self.margin, y: 52, style: "note")
        bars.draw(in: &drawing, x: Self.margin, y: 76, width: Self.width - 2 * Self.margin)
        if !plots.isEmpty {
            drawing.text(
                "Growth: µs for each, by the rows in the store", x: Self.margin, y: plotTop - 8,
                style: "heading")
        }
        let plotWidth = (Self.width - 2 * Self.margin) / 3
        for (index, plot) in plots.enumerated() {
            plot.draw(
                in: &drawing, x: Self.margin + Double(index) * plotWidth, y: plotTop,
                width: plotWidth)
        }
        if !plots.isEmpty {
            let y = plotTop + GrowthPlot.height + 36
            drawing.curve(
                [(Self.margin + 4, y - 4), (Self.margin + 30, y - 4)], style: "ours-line")
            drawing.text("CacheStore", x: Self.margin + 38, y: y)
            drawing.curve(
                [(Self.margin + 130, y - 4), (Self.margin + 156, y - 4)], style: "raw-line")
            drawing.text("raw C", x: Self.margin + 164, y: y)
        }
        try drawing.document(title: title).write(to: file, atomically: true, encoding: .utf8)
    }
}
