// SPDX-License-Identifier: MIT

import Foundation

extension AttributeDescription: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, type, isOptional, defaultValue, options, validation, renamingIdentifier
        case versionHashModifier, userInfo
    }

    /// Decodes a description.
    ///
    /// - Throws: `DecodingError` if there is no name or type, or a part has the wrong form.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let name = try values.decode(String.self, forKey: .type)
        guard let kind = AttributeType.Kind(rawValue: name) else {
            throw DecodingError.dataCorruptedError(
                forKey: .type, in: values, debugDescription: "an unknown attribute type")
        }
        self.init(
            try values.decode(String.self, forKey: .name), AttributeType(kind),
            isOptional: try values.decodeIfPresent(Bool.self, forKey: .isOptional) ?? false,
            default: try values.decodeIfPresent(PropertyValue.self, forKey: .defaultValue),
            options: AttributeOptions(
                rawValue: try values.decodeIfPresent(UInt16.self, forKey: .options) ?? 0),
            validation: try values.decodeIfPresent(
                [ValidationRule].self, forKey: .validation) ?? [],
            renamingIdentifier: try values.decodeIfPresent(
                String.self, forKey: .renamingIdentifier),
            versionHashModifier: try values.decodeIfPresent(
                String.self, forKey: .versionHashModifier),
            userInfo: try values.decodeIfPresent([String: String].self, forKey: .userInfo) ?? [:])
    }

    /// Encodes the description.
    ///
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(name, forKey: .name)
        try values.encode(type.kind.rawValue, forKey: .type)
        if isOptional { try values.encode(true, forKey: .isOptional) }
        try values.encodeIfPresent(defaultValue, forKey: .defaultValue)
        if !options.isEmpty { try values.encode(options.rawValue, forKey: .options) }
        if !validation.isEmpty { try values.encode(validation, forKey: .validation) }
        try values.encodeIfPresent(renamingIdentifier, forKey: .renamingIdentifier)
        try values.encodeIfPresent(versionHashModifier, forKey: .versionHashModifier)
        if !userInfo.isEmpty { try values.encode(userInfo, forKey: .userInfo) }
    }
}

extension ValidationRule: Codable {
    private enum CodingKeys: String, CodingKey {
        case minimum, maximum, earliest, latest, minimumLength, maximumLength, matches
    }

    /// Decodes a rule.
    ///
    /// - Throws: `DecodingError` for a kind of rule that is not known.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        switch values.allKeys.first {
        case .minimum: self = .minimum(try values.decode(Double.self, forKey: .minimum))
        case .maximum: self = .maximum(try values.decode(Double.self, forKey: .maximum))
        case .earliest:
            let seconds = try values.decode(Double.self, forKey: .earliest)
            self = .earliest(Date(timeIntervalSince1970: seconds))
        case .latest:
            let seconds = try values.decode(Double.self, forKey: .latest)
            self = .latest(Date(timeIntervalSince1970: seconds))
        case .minimumLength:
            self = .minimumLength(try values.decode(Int.self, forKey: .minimumLength))
        case .maximumLength:
            self = .maximumLength(try values.decode(Int.self, forKey: .maximumLength))
        case .matches: self = .matches(try values.decode(String.self, forKey: .matches))
        case nil:
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "an unknown rule"))
        }
    }

    /// Encodes the rule.
    ///
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        switch kind {
        case .minimum(let value): try values.encode(value, forKey: .minimum)
        case .maximum(let value): try values.encode(value, forKey: .maximum)
        case .earliest(let date):
            try values.encode(date.timeIntervalSince1970, forKey: .earliest)
        case .latest(let date): try values.encode(date.timeIntervalSince1970, forKey: .latest)
        case .minimumLength(let length): try values.encode(length, forKey: .minimumLength)
        case .maximumLength(let length): try values.encode(length, forKey: .maximumLength)
        case .regularExpression(let pattern): try values.encode(pattern, forKey: .matches)
        }
    }
}
