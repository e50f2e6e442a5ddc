// SPDX-License-Identifier: MIT

import CacheStoreModel

/// What validation has to look at in objects of one entity: found once, so that validating an object
/// costs nothing for properties without rules.
final class PropertyChecks {
    /// Attributes and to-one relationships that must have a value, and no other rule.
    let required: [Int]
    /// Attributes with rules, or of types whose values can be out of range.
    let ruled: [Property]
    /// To-many relationships with a minimum or maximum.
    let counted: [Property]
    /// Whether there is anything but required properties.
    let hasRules: Bool

    init(_ properties: [Property]) {
        var required: [Int] = []
        var ruled: [Property] = []
        var counted: [Property] = []
        for property in properties {
            switch property.kind {
            case .attribute(let attribute):
                let canBeOutOfRange =
                    attribute.type != .integer64 && attribute.type.integerRange != nil
                if !attribute.validation.isEmpty || canBeOutOfRange {
                    ruled.append(property)
                } else if !attribute.isOptional {
                    required.append(property.index)
                }
            case .relationship(let relationship):
                let description = relationship.description
                if description.isToMany {
                    if !description.isOptional || description.minimumCount > 0
                        || description.maximumCount > 0
                    {
                        counted.append(property)
                    }
                } else if !description.isOptional {
                    required.append(property.index)
                }
            }
        }
        self.required = required
        self.ruled = ruled
        self.counted = counted
        self.hasRules = !ruled.isEmpty || !counted.isEmpty
    }
}
