// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import Foundation
import CacheStoreSQLite

extension QueryCompiler {
    /// Appends a text test; NULL where an operand is no text.
    mutating func text(
        _ test: TextOperator, _ first: QueryExpression, _ second: QueryExpression,
        _ options: TextOptions
    ) throws(QueryError) {
        guard try mayBeText(first), try mayBeText(second) else {
            text += "NULL"
            return
        }
        switch test {
        case .like, .matches: try pattern(test, first, second, options)
        case .equal:
            try folded(first, options)
            text += " = "
            try folded(second, options)
        case .contains:
            text += "instr("
            try folded(first, options)
            text += ", "
            try folded(second, options)
            text += ") > 0"
        case .hasPrefix: try prefix(first, second, options)
        case .hasSuffix:
            text += "cachestore_has_suffix("
            try folded(first, options)
            text += ", "
            try folded(second, options)
            text += ")"
        }
    }

    private func mayBeText(_ expression: QueryExpression) throws(QueryError) -> Bool {
        switch try kind(of: expression) {
        case .text, .unknown, .opaque: true
        default: false
        }
    }

    /// Appends a text as it is compared. Constants are folded here, once.
    private mutating func folded(
        _ expression: QueryExpression, _ options: TextOptions
    ) throws(QueryError) {
        if let constant = Self.constantText(expression) {
            bind(.string(TextFolding.fold(constant, options: options)))
        } else if options.isEmpty {
            try value(expression)
        } else {
            text += "cachestore_fold("
            try value(expression)
            text += ", \(options.rawValue))"
        }
    }

    private static func constantText(_ expression: QueryExpression) -> String? {
        switch expression {
        case .constant(.string(let string)): string
        case .constant(.url(let url)): url.absoluteString
        default: nil
        }
    }

    /// As a range where that is possible, so that an index of the column serves.
    private mutating func prefix(
        _ first: QueryExpression, _ second: QueryExpression, _ options: TextOptions
    ) throws(QueryError) {
        if options.isEmpty, let prefix = Self.constantText(second) {
            try value(first)
            text += " >= "
            bind(.string(prefix))
            guard let end = Self.end(ofPrefix: prefix) else { return }
            text += " AND "
            try value(first)
            text += " < "
            bind(.string(end))
            return
        }
        text += "instr("
        try folded(first, options)
        text += ", "
        try folded(second, options)
        text += ") = 1"
    }

    /// The first text, in the order of bytes, behind all those with a prefix; `nil` for none.
    static func end(ofPrefix prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // UTF-8 bytes have the order of code points; surrogates are none.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            if let scalar = Unicode.Scalar(next) {
                scalars.append(scalar)
                var end = String.UnicodeScalarView()
                end.append(contentsOf: scalars)
                return String(end)
            }
        }
        return nil
    }

    private mutating func pattern(
        _ test: TextOperator, _ first: QueryExpression, _ second: QueryExpression,
        _ options: TextOptions
    ) throws(QueryError) {
        if test == .matches, let pattern = Self.constantText(second) {
            // Refused here, before anything runs.
            _ = try RegularExpression(pattern, options: options)
        }
        text += test == .like ? "cachestore_like(" : "cachestore_matches("
        try value(first)
        text += ", "
        try value(second)
        text += ", \(options.rawValue))"
    }
}
