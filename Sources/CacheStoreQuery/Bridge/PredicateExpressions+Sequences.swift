// SPDX-License-Identifier: MIT

import CacheStoreModel
package import Foundation

extension PredicateExpressions.SequenceContains: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        let members = try conversion.convert(sequence)
        switch members {
        case .captured(let value):
            let member = try conversion.scalar(element)
            if let range = value as? any CapturedRange {
                return try conversion.test(member, isWithin: range, in: self)
            }
            if let values = try conversion.propertyValues(of: value, in: self) {
                return .value(.isIn(member, values))
            }
        case .range(let lower, let upper, let isClosed):
            return conversion.test(
                try conversion.scalar(element), lower: lower, upper: upper, isClosed: isClosed)
        case .toMany(let reference):
            let scope = reference.filter?.scope ?? conversion.makeScope()
            let member = try conversion.scalar(element)
            let test = QueryExpression.comparison(.equal, .object(scope: scope), member)
            return .value(reference.exists((scope, test)))
        case .value(let text) where LHS.Output.self == String.self:
            return .value(.text(.contains, text, try conversion.scalar(element), []))
        default: break
        }
        throw conversion.unsupported(self, "the collection is not one that stores can search")
    }
}

extension PredicateExpressions.RangeExpressionContains: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        let bounds = try conversion.convert(range)
        let member = try conversion.scalar(element)
        switch bounds {
        case .range(let lower, let upper, let isClosed):
            return conversion.test(member, lower: lower, upper: upper, isClosed: isClosed)
        case .captured(let value as any CapturedRange):
            return try conversion.test(member, isWithin: value, in: self)
        default:
            throw conversion.unsupported(self, "the range is of a kind that stores do not know")
        }
    }
}

extension PredicateExpressions.Range: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        .range(
            lower: try conversion.scalar(lower), upper: try conversion.scalar(upper),
            isClosed: false)
    }
}

extension PredicateExpressions.ClosedRange: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        .range(
            lower: try conversion.scalar(lower), upper: try conversion.scalar(upper),
            isClosed: true)
    }
}

extension Conversion {
    fileprivate func test(
        _ member: QueryExpression, lower: QueryExpression?, upper: QueryExpression?, isClosed: Bool
    ) -> Converted {
        var tests: [QueryExpression] = []
        if let lower { tests.append(.comparison(.greaterOrEqual, member, lower)) }
        if let upper { tests.append(.comparison(isClosed ? .lessOrEqual : .less, member, upper)) }
        return .value(.and(tests))
    }

    fileprivate func test(
        _ member: QueryExpression, isWithin range: any CapturedRange,
        in node: any PredicateExpression
    ) throws -> Converted {
        let bounds = range.bounds
        return test(
            member, lower: try bounds.lower.map { .constant(try propertyValue(of: $0, in: node)) },
            upper: try bounds.upper.map { .constant(try propertyValue(of: $0, in: node)) },
            isClosed: bounds.isClosed)
    }
}

extension PredicateExpressions.SequenceContainsWhere: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        switch try conversion.convert(sequence) {
        case .toMany(let reference):
            let (scope, test) = try conversion.convert(test, variable.key, of: reference)
            return .value(reference.exists((scope, test)))
        case .captured(let value):
            return .value(.or(try conversion.convert(test, variable.key, each: value, in: self)))
        default:
            throw conversion.unsupported(self, "the collection is not one that stores can search")
        }
    }
}

extension PredicateExpressions.SequenceAllSatisfy: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        switch try conversion.convert(sequence) {
        case .toMany(let reference):
            let (scope, test) = try conversion.convert(test, variable.key, of: reference)
            let condition = reference.filter.map { .or([.not($0.condition), test]) } ?? test
            return .value(.all(reference.path, scope: scope, condition))
        case .captured(let value):
            return .value(.and(try conversion.convert(test, variable.key, each: value, in: self)))
        default:
            throw conversion.unsupported(self, "the collection is not one that stores can search")
        }
    }
}

extension PredicateExpressions.Filter: QueryConvertible {
    package func convert(_ conversion: inout Conversion) throws -> Converted {
        guard case .toMany(var reference) = try conversion.convert(sequence) else {
            throw conversion.unsupported(self, "only to-many relationships can be filtered")
        }
        let (scope, test) = try conversion.convert(filter, variable.key, of: reference)
        let condition = reference.filter.map { .and([$0.condition, test]) } ?? test
        reference.filter = (scope, condition)
        return .toMany(reference)
    }
}

extension Conversion {
    /// A condition on the objects of a relationship, with the scope that they have in it.
    fileprivate mutating func convert(
        _ test: any PredicateExpression, _ key: PredicateExpressions.VariableID,
        of reference: ToManyReference
    ) throws -> (scope: Int, test: QueryExpression) {
        let scope = reference.filter?.scope ?? makeScope()
        let member = ObjectReference(scope: scope, entityIndex: reference.destinationIndex)
        let converted = try convert(test, binding: key, to: .object(member))
        return (scope, try scalar(converted, of: test))
    }

    /// A condition on captured values, once for each of them.
    fileprivate mutating func convert(
        _ test: any PredicateExpression, _ key: PredicateExpressions.VariableID, each value: Any,
        in node: any PredicateExpression
    ) throws -> [QueryExpression] {
        guard let elements = Self.elements(of: value) else {
            throw unsupported(node, "the collection is not one that stores can search")
        }
        return try elements.map { element in
            try scalar(convert(test, binding: key, to: .captured(element)), of: test)
        }
    }
}
