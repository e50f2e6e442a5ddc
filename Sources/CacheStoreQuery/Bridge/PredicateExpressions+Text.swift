// SPDX-License-Identifier: MIT

import CacheStoreModel
package import Foundation

extension PredicateExpressions.CollectionContainsCollection: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        try conversion.testText(self, .contains, base, other, [])
    }
}

extension PredicateExpressions.SequenceStartsWith: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        try conversion.testText(self, .hasPrefix, base, prefix, [])
    }
}

extension PredicateExpressions.StringContainsRegex: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        guard case .captured(let value) = try conversion.convert(regex),
            let pattern = value as? PredicateExpressions.PredicateRegex
        else { throw conversion.unsupported(self, "the regular expression must be a captured one") }
        let anywhere = RegularExpression.anywhere(pattern.stringRepresentation)
        // Swift and ICU differ in what they accept: found out here, not by the store.
        _ = try RegularExpression(anywhere)
        return .value(
            .text(.matches, try conversion.scalar(subject), .constant(.string(anywhere)), []))
    }
}

extension PredicateExpressions.StringLocalizedStandardContains: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        try conversion.testText(
            self, .contains, root, other, [.caseInsensitive, .diacriticInsensitive])
    }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        .textOrder(
            try conversion.scalar(root), try conversion.scalar(other), [.caseInsensitive])
    }
}

extension Conversion {
    fileprivate mutating func testText<Base: PredicateExpression, Other: PredicateExpression>(
        _ node: some PredicateExpression, _ test: TextOperator, _ base: Base, _ other: Other,
        _ options: TextOptions
    ) throws -> Converted {
        let first = try convert(base)
        let second = try convert(other)
        if case .captured = first, case .captured = second, let outcome = try? folded(node) {
            return outcome
        }
        guard Base.Output.self is any StringProtocol.Type,
            Other.Output.self is any StringProtocol.Type
        else { throw unsupported(node, "the collections are not texts") }
        return .value(
            .text(test, try scalar(first, of: base), try scalar(second, of: other), options))
    }
}
