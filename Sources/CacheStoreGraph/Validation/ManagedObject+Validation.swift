// SPDX-License-Identifier: MIT

import CacheStoreModel
import Foundation

extension ManagedObject {
    /// Checks the model's rules for all properties that will be saved.
    final func validateProperties() throws {
        var failures: [ValidationError.Failure]?
        if lacksRequiredValue() {
            failures = missingValues().map { index in
                ValidationError.Failure(
                    .missingValue, self, property: plan.entity.properties[index].name,
                    message: "a value is required")
            }
        }
        if plan.checks.hasRules { failures = (failures ?? []) + brokenRules() }
        if let failures, !failures.isEmpty { throw ValidationError(failures) }
    }

    /// Whether the object lacks a value that it must have. Nearly all lack none, so this is all that
    /// most objects cost.
    private func lacksRequiredValue() -> Bool {
        if isInserted {
            return values.withUnsafeBufferPointer { values in
                for place in 0..<plan.requiredCount where values[Int(plan.required[place])].isNull {
                    return true
                }
                return false
            }
        }
        guard plan.requiredCount > 0, !changed.isEmpty else { return false }
        // What has not changed was valid when it was saved.
        var isMissing = false
        plan.requiredSet.intersection(changed).forEach {
            isMissing = isMissing || values[$0].isNull
        }
        return isMissing
    }

    private func missingValues() -> [Int] {
        plan.requiredSet.indexes.filter {
            (isInserted || changed.contains($0)) && values[$0].isNull
        }
    }

    /// The rules beyond having a value that are broken.
    private func brokenRules() -> [ValidationError.Failure] {
        var failures: [ValidationError.Failure] = []
        let checks = plan.checks
        for property in checks.ruled where isInserted || changed.contains(property.index) {
            if let attribute = property.attribute,
                let failure = failure(of: attribute, value: value(at: property.index))
            {
                failures.append(failure)
            }
        }
        for property in checks.counted {
            if let relationship = property.relationship,
                let failure = failure(of: relationship, property)
            {
                failures.append(failure)
            }
        }
        return failures
    }

    private func failure(
        of attribute: AttributeDescription, value: PropertyValue
    ) -> ValidationError.Failure? {
        func fail(_ code: ValidationError.Code, _ message: String) -> ValidationError.Failure {
            ValidationError.Failure(code, self, property: attribute.name, message: message)
        }
        guard !value.isNull else {
            return attribute.isOptional ? nil : fail(.missingValue, "a value is required")
        }
        guard value.fits(attribute.type) else {
            return fail(.wrongType, "the value is not of type \(attribute.type)")
        }
        if case .decimal = value, attribute.type == .unsignedInteger64 {
            return fail(.numberTooLarge, "the number is above what a store can hold")
        }
        if case .integer(let integer) = value, let range = attribute.type.integerRange {
            if integer < range.lowerBound {
                return fail(.numberTooSmall, "the number is below the range of its type")
            }
            if integer > range.upperBound {
                return fail(.numberTooLarge, "the number is above the range of its type")
            }
        }
        for rule in attribute.validation {
            if let (code, message) = rule.broken(by: value) { return fail(code, message) }
        }
        return nil
    }

    private func failure(
        of relationship: Property.Relationship, _ property: Property
    ) -> ValidationError.Failure? {
        func fail(_ code: ValidationError.Code, _ message: String) -> ValidationError.Failure {
            ValidationError.Failure(code, self, property: property.name, message: message)
        }
        let description = relationship.description
        guard isInserted || toManyState(of: property)?.hasChanges ?? false else { return nil }
        let count = toMany(property).count
        if count == 0 {
            return description.isOptional ? nil : fail(.missingValue, "an object is required")
        }
        if count < description.minimumCount {
            return fail(.tooFewObjects, "fewer objects than \(description.minimumCount)")
        }
        if description.maximumCount > 0, count > description.maximumCount {
            return fail(.tooManyObjects, "more objects than \(description.maximumCount)")
        }
        return nil
    }

    /// Checks that no relationship with the rule "deny" has members that stay.
    final func validateDenyRules() throws {
        var failures: [ValidationError.Failure] = []
        for property in plan.relationships
        where property.relationship?.description.deleteRule == .deny {
            if targets(of: property).contains(where: { !$0.isDeleted }) {
                failures.append(
                    ValidationError.Failure(
                        .deletionDenied, self, property: property.name,
                        message: "the object cannot be deleted while there are objects here"))
            }
        }
        guard failures.isEmpty else { throw ValidationError(failures) }
    }
}

extension ValidationRule {
    /// What is wrong with a value, or `nil` if nothing is.
    fileprivate func broken(
        by value: PropertyValue
    ) -> (ValidationError.Code, String)? {
        switch kind {
        case .minimum(let minimum):
            guard let number = value.number, number < minimum else { return nil }
            return (.numberTooSmall, "the number is less than \(minimum)")
        case .maximum(let maximum):
            guard let number = value.number, number > maximum else { return nil }
            return (.numberTooLarge, "the number is greater than \(maximum)")
        case .earliest(let earliest):
            guard case .date(let date) = value, date < earliest else { return nil }
            return (.dateTooSoon, "the date is too soon")
        case .latest(let latest):
            guard case .date(let date) = value, date > latest else { return nil }
            return (.dateTooLate, "the date is too late")
        case .minimumLength(let minimum):
            guard let length = value.length, length < minimum else { return nil }
            return (.stringTooShort, "shorter than \(minimum)")
        case .maximumLength(let maximum):
            guard let length = value.length, length > maximum else { return nil }
            return (.stringTooLong, "longer than \(maximum)")
        case .regularExpression(let pattern):
            guard case .string(let text) = value else { return nil }
            guard let expression = try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z") else {
                return (.patternMismatch, "the regular expression is malformed")
            }
            let range = NSRange(text.startIndex..., in: text)
            guard expression.firstMatch(in: text, range: range) == nil else { return nil }
            return (.patternMismatch, "the text does not match its pattern")
        }
    }
}

extension PropertyValue {
    fileprivate var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .double(let double): double
        case .decimal(let decimal): NSDecimalNumber(decimal: decimal).doubleValue
        default: nil
        }
    }

    fileprivate var length: Int? {
        switch self {
        case .string(let string): string.count
        case .data(let data): data.count
        default: nil
        }
    }
}
