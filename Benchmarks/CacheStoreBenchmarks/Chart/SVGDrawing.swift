// SPDX-License-Identifier: MIT

import Foundation

/// An SVG file in the making: texts, lines and boxes of a few classes, whose colours follow the
/// reader's light or dark mode.
struct SVGDrawing {
    /// Where a text stands in relation to its point.
    enum Anchor: String {
        case start, middle, end
    }

    let width: Double
    let height: Double
    private var elements: [String] = []

    init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    mutating func text(
        _ text: String, x: Double, y: Double, anchor: Anchor = .start, style: String = "label"
    ) {
        elements.append(
            "<text class=\"\(style)\" x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" "
                + "text-anchor=\"\(anchor.rawValue)\">\(Self.escaped(text))</text>")
    }

    mutating func line(from: (x: Double, y: Double), to: (x: Double, y: Double), style: String) {
        elements.append(
            "<line class=\"\(style)\" x1=\"\(Self.number(from.x))\" y1=\"\(Self.number(from.y))\" "
                + "x2=\"\(Self.number(to.x))\" y2=\"\(Self.number(to.y))\"/>")
    }

    mutating func box(x: Double, y: Double, width: Double, height: Double, style: String) {
        elements.append(
            "<rect class=\"\(style)\" x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" "
                + "width=\"\(Self.number(width))\" height=\"\(Self.number(height))\" rx=\"2\"/>")
    }

    /// A line through points, with a dot on each.
    mutating func curve(_ points: [(x: Double, y: Double)], style: String) {
        let list = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }
        elements.append("<polyline class=\"\(style)\" points=\"\(list.joined(separator: " "))\"/>")
        for point in points {
            elements.append(
                "<circle class=\"\(style)-dot\" cx=\"\(Self.number(point.x))\" "
                    + "cy=\"\(Self.number(point.y))\" r=\"3\"/>")
        }
    }

    func document(title: String) -> String {
        let size = "\(Self.number(width)) \(Self.number(height))"
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" \
            width="\(Self.number(width))" height="\(Self.number(height))" role="img">
            <title>\(Self.escaped(title))</title>
            <style>
            \(Self.style)
            </style>
            <rect class="page" width="100%" height="100%"/>
            \(elements.joined(separator: "\n"))
            </svg>

            """
    }

    // Rules for light come first, and plain, for readers that know no media queries.
    private static let style = """
        text { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
        .page { fill: #ffffff; }
        .title { font-size: 16px; font-weight: 600; fill: #1f2328; }
        .heading { font-size: 13px; font-weight: 600; fill: #1f2328; }
        .label { font-size: 12px; fill: #1f2328; }
        .note { font-size: 11px; fill: #59636e; }
        .axis { stroke: #59636e; stroke-width: 1; }
        .grid { stroke: #d1d9e0; stroke-width: 1; }
        .target { stroke: #bc4c00; stroke-width: 3; }
        .one { stroke: #59636e; stroke-width: 1.5; stroke-dasharray: 4 3; }
        .ours { fill: #0969da; }
        .ours-line { fill: none; stroke: #0969da; stroke-width: 2; }
        .ours-line-dot { fill: #0969da; }
        .raw-line { fill: none; stroke: #818b98; stroke-width: 2; stroke-dasharray: 5 3; }
        .raw-line-dot { fill: #818b98; }
        @media (prefers-color-scheme: dark) {
        .page { fill: #0d1117; }
        .title, .heading, .label { fill: #f0f6fc; }
        .note { fill: #9198a1; }
        .axis, .one { stroke: #9198a1; }
        .grid { stroke: #3d444d; }
        .target { stroke: #f0883e; }
        .ours, .ours-line-dot { fill: #4493f8; }
        .ours-line { stroke: #4493f8; }
        }
        """

    private static func number(_ value: Double) -> String {
        let text = String(format: "%.1f", value)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
