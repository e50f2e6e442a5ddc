// SPDX-License-Identifier: MIT

import Foundation

/// Reads the stanzas of a Debian control file from bytes that arrive in chunks of any size.
///
/// The format is that of deb822(5): `Name: value` fields, continuation lines that begin with a
/// space or a tab (where a lone full stop stands for an empty line), stanzas parted by blank
/// lines, comment lines that begin with `#`. Line ends may be LF or CR LF. Bytes that are not
/// UTF-8 become replacement characters, and a line that makes no sense is counted and skipped:
/// one bad line in an index must not hide the other sixty thousand packages.
struct ControlParser {
    /// The longest line, and the longest value, that is kept; the rest is cut off and counted.
    static let maximumLength = 1 << 20

    private let wanted: Set<ControlField>
    private var stanza = ControlStanza()
    private var isInStanza = false

    /// The field whose continuation lines come next, if it is one that is read.
    private var current: ControlField?
    /// Whether a field has begun, read or not, that a continuation line may go on with.
    private var hasCurrent = false
    private var value: [UInt8] = []

    /// The beginning of a line whose end has not arrived yet.
    private var unfinishedLine: [UInt8] = []

    /// Creates a parser that decodes the fields named and passes over all others.
    init(fields: Set<ControlField> = Set(ControlField.allCases)) { wanted = fields }

    /// Takes the next bytes and hands out every stanza that they complete.
    mutating func consume(
        _ bytes: UnsafeRawBufferPointer, _ body: (ControlStanza) throws -> Void
    ) rethrows {
        var rest = bytes
        if !unfinishedLine.isEmpty {
            guard let end = rest.offset(of: .lineFeed) else {
                keepUnfinished(rest)
                return
            }
            keepUnfinished(rest.part(0, end))
            rest = rest.part(end + 1, rest.count)
            try finishUnfinishedLine(body)
        }
        while let end = rest.offset(of: .lineFeed) {
            try consumeLine(rest.part(0, end), body)
            rest = rest.part(end + 1, rest.count)
        }
        keepUnfinished(rest)
    }

    /// Ends the input and hands out the last stanza, if one is unfinished.
    mutating func finish(_ body: (ControlStanza) throws -> Void) rethrows {
        if !unfinishedLine.isEmpty { try finishUnfinishedLine(body) }
        try endStanza(body)
    }

    private mutating func keepUnfinished(_ bytes: UnsafeRawBufferPointer) {
        let room = Self.maximumLength - unfinishedLine.count
        if bytes.count > room { stanza.malformedLineCount += 1 }
        unfinishedLine.append(contentsOf: bytes.part(0, min(bytes.count, room)))
    }

    private mutating func finishUnfinishedLine(
        _ body: (ControlStanza) throws -> Void
    ) rethrows {
        let line = unfinishedLine
        unfinishedLine.removeAll(keepingCapacity: true)
        try line.withUnsafeBytes { try consumeLine($0, body) }
    }

    private mutating func consumeLine(
        _ whole: UnsafeRawBufferPointer, _ body: (ControlStanza) throws -> Void
    ) rethrows {
        let line = whole.trimmedAtEnd
        guard let first = line.first else { return try endStanza(body) }
        switch first {
        case .numberSign: return
        case .space, .tab: continueField(with: line.part(1, line.count))
        default: beginField(line)
        }
    }

    private mutating func beginField(_ line: UnsafeRawBufferPointer) {
        endField()
        isInStanza = true
        guard let colon = line.offset(of: .colon), colon > 0 else {
            stanza.malformedLineCount += 1
            return
        }
        hasCurrent = true
        guard let field = ControlField(name: line.part(0, colon)), wanted.contains(field) else {
            return
        }
        guard stanza[field] == nil else {
            stanza.malformedLineCount += 1
            return
        }
        current = field
        append(line.part(colon + 1, line.count).trimmedAtStart)
    }

    private mutating func continueField(with line: UnsafeRawBufferPointer) {
        guard current != nil else {
            if !hasCurrent { stanza.malformedLineCount += 1 }
            return
        }
        guard value.count < Self.maximumLength else {
            stanza.malformedLineCount += 1
            return
        }
        value.append(.lineFeed)
        if line.count != 1 || line.first != .fullStop { append(line) }
    }

    private mutating func append(_ text: UnsafeRawBufferPointer) {
        let room = Self.maximumLength - value.count
        if text.count > room { stanza.malformedLineCount += 1 }
        value.append(contentsOf: text.part(0, min(text.count, room)))
    }

    private mutating func endField() {
        hasCurrent = false
        guard let field = current else { return }
        stanza[field] = String(decoding: value, as: UTF8.self)
        current = nil
        value.removeAll(keepingCapacity: true)
    }

    private mutating func endStanza(_ body: (ControlStanza) throws -> Void) rethrows {
        endField()
        guard isInStanza else { return }
        let finished = stanza
        stanza = ControlStanza()
        isInStanza = false
        if !finished.isEmpty || finished.malformedLineCount > 0 { try body(finished) }
    }
}

extension UInt8 {
    fileprivate static let lineFeed = UInt8(ascii: "\n")
    fileprivate static let carriageReturn = UInt8(ascii: "\r")
    fileprivate static let space = UInt8(ascii: " ")
    fileprivate static let tab = UInt8(ascii: "\t")
    fileprivate static let numberSign = UInt8(ascii: "#")
    fileprivate static let fullStop = UInt8(ascii: ".")
    fileprivate static let colon = UInt8(ascii: ":")

    fileprivate var isBlank: Bool { self == .space || self == .tab || self == .carriageReturn }
}

extension UnsafeRawBufferPointer {
    /// The place of the first byte with a value.
    ///
    /// By memchr: it is many times as fast as a loop, above all in a build without optimisation.
    fileprivate func offset(of byte: UInt8) -> Int? {
        guard let start = baseAddress, let found = memchr(start, Int32(byte), count) else {
            return nil
        }
        return UnsafeRawPointer(found) - start
    }

    /// The bytes from one offset up to another.
    fileprivate func part(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[start..<end])
    }

    /// The bytes without the spaces and tabs before them.
    fileprivate var trimmedAtStart: UnsafeRawBufferPointer {
        part(firstIndex { !$0.isBlank } ?? count, count)
    }

    /// The bytes without the spaces, tabs and carriage returns after them.
    fileprivate var trimmedAtEnd: UnsafeRawBufferPointer {
        var end = count
        while end > 0, self[end - 1].isBlank { end -= 1 }
        return part(0, end)
    }
}
