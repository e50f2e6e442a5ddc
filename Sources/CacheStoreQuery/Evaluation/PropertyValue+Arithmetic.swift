// SPDX-License-Identifier: MIT

package import CacheStoreModel
import Foundation

/// How queries calculate, in memory as in SQL: whatever has no result gives no value.
extension PropertyValue {
    package static func calculate(
        _ operation: ArithmeticOperator, _ first: PropertyValue, _ second: PropertyValue
    ) -> PropertyValue {
        if first.isQueryNull || second.isQueryNull { return .null }
        switch (first.number, second.number) {
        case (.integer(let first), .integer(let second)):
            return calculate(operation, first, second).map { .integer($0) } ?? .null
        case (.decimal(let first), .decimal(let second)):
            return checked(calculate(operation, first, second))
        case (.decimal(let first), .integer(let second)):
            return checked(calculate(operation, first, Decimal(second)))
        case (.integer(let first), .decimal(let second)):
            return checked(calculate(operation, Decimal(first), second))
        case (let first?, let second?):
            return checked(calculate(operation, first.real, second.real))
        default: return .null
        }
    }

    /// The value with the opposite sign.
    package var negated: PropertyValue {
        switch number {
        case .integer(let integer):
            let (result, overflow) = Int64(0).subtractingReportingOverflow(integer)
            return overflow ? .null : .integer(result)
        case .real(let real): return real.isNaN ? .null : .double(-real)
        case .decimal(let decimal): return decimal.isNaN ? .null : .decimal(-decimal)
        case nil: return .null
        }
    }

    private enum Number {
        case integer(Int64)
        case real(Double)
        case decimal(Decimal)

        var real: Double {
            switch self {
            case .integer(let integer): Double(integer)
            case .real(let real): real
            case .decimal(let decimal): decimal.doubleValue
            }
        }
    }

    private var number: Number? {
        switch self {
        case .integer(let integer): .integer(integer)
        case .boolean(let boolean): .integer(boolean ? 1 : 0)
        case .double(let double): .real(double)
        case .date(let date): .real(date.timeIntervalSince1970)
        case .decimal(let decimal): .decimal(decimal)
        default: nil
        }
    }

    private static func checked(_ real: Double?) -> PropertyValue {
        guard let real, !real.isNaN else { return .null }
        return .double(real)
    }

    private static func checked(_ decimal: Decimal?) -> PropertyValue {
        guard let decimal, !decimal.isNaN else { return .null }
        return .decimal(decimal)
    }

    private static func calculate(
        _ operation: ArithmeticOperator, _ first: Int64, _ second: Int64
    ) -> Int64? {
        let (result, overflow) =
            switch operation {
            case .add: first.addingReportingOverflow(second)
            case .subtract: first.subtractingReportingOverflow(second)
            case .multiply: first.multipliedReportingOverflow(by: second)
            case .divide: first.dividedReportingOverflow(by: second)
            case .remainder: first.remainderReportingOverflow(dividingBy: second)
            }
        return overflow ? nil : result
    }

    private static func calculate(
        _ operation: ArithmeticOperator, _ first: Double, _ second: Double
    ) -> Double? {
        switch operation {
        case .add: first + second
        case .subtract: first - second
        case .multiply: first * second
        case .divide: second == 0 ? nil : first / second
        case .remainder: second == 0 ? nil : first.truncatingRemainder(dividingBy: second)
        }
    }

    private static func calculate(
        _ operation: ArithmeticOperator, _ first: Decimal, _ second: Decimal
    ) -> Decimal? {
        switch operation {
        case .add: return first + second
        case .subtract: return first - second
        case .multiply: return first * second
        case .divide: return second.isZero ? nil : first / second
        case .remainder:
            guard !second.isZero else { return nil }
            var quotient = first / second
            var whole = Decimal()
            NSDecimalRound(&whole, &quotient, 0, quotient.isSignMinus ? .up : .down)
            return first - whole * second
        }
    }
}
