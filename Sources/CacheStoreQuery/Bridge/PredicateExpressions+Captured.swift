// SPDX-License-Identifier: MIT

package import Foundation

// Expressions that stores know nothing of, but that are values already where all their operands
// are captured: `options["key"]`, `names[0]`, `limits.max()`.

extension PredicateExpressions.DictionaryKeySubscript: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        try conversion.fold(self, wrapped, key)
    }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        try conversion.fold(self, wrapped, key, self.default)
    }
}

extension PredicateExpressions.CollectionIndexSubscript: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        try conversion.fold(self, wrapped, index)
    }
}

extension PredicateExpressions.CollectionRangeSubscript: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        try conversion.fold(self, wrapped, range)
    }
}

extension PredicateExpressions.SequenceMinimum: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        try conversion.fold(self, elements)
    }
}

extension PredicateExpressions.SequenceMaximum: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        try conversion.fold(self, elements)
    }
}

extension Conversion {
    fileprivate mutating func fold(
        _ node: some PredicateExpression, _ operands: any PredicateExpression...
    ) throws -> Converted {
        for operand in operands {
            guard case .captured = try convert(operand) else {
                throw unsupported(node, "this cannot be evaluated by a store")
            }
        }
        return try folded(node)
    }
}
