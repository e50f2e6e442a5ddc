// SPDX-License-Identifier: MIT

extension RelationshipDescription: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, destination, isToMany, isOrdered, isOptional, inverse, deleteRule
        case minimumCount, maximumCount, renamingIdentifier, versionHashModifier, userInfo
    }

    /// Decodes a description.
    ///
    /// - Throws: `DecodingError` if there is no name or destination, or a part has the wrong form.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let name = try values.decode(String.self, forKey: .name)
        let destination = try values.decode(String.self, forKey: .destination)
        if try values.decodeIfPresent(Bool.self, forKey: .isToMany) ?? false {
            self.init(name, toMany: destination)
        } else {
            self.init(name, toOne: destination)
        }
        isOrdered = try values.decodeIfPresent(Bool.self, forKey: .isOrdered) ?? false
        isOptional = try values.decodeIfPresent(Bool.self, forKey: .isOptional) ?? false
        inverse = try values.decodeIfPresent(String.self, forKey: .inverse)
        deleteRule = try values.decodeIfPresent(DeleteRule.self, forKey: .deleteRule) ?? .nullify
        minimumCount = try values.decodeIfPresent(Int.self, forKey: .minimumCount) ?? 0
        maximumCount =
            try values.decodeIfPresent(Int.self, forKey: .maximumCount) ?? (isToMany ? 0 : 1)
        renamingIdentifier = try values.decodeIfPresent(String.self, forKey: .renamingIdentifier)
        versionHashModifier = try values.decodeIfPresent(String.self, forKey: .versionHashModifier)
        userInfo = try values.decodeIfPresent([String: String].self, forKey: .userInfo) ?? [:]
    }

    /// Encodes the description.
    ///
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(name, forKey: .name)
        try values.encode(destination, forKey: .destination)
        if isToMany { try values.encode(true, forKey: .isToMany) }
        if isOrdered { try values.encode(true, forKey: .isOrdered) }
        if isOptional { try values.encode(true, forKey: .isOptional) }
        try values.encodeIfPresent(inverse, forKey: .inverse)
        if deleteRule != .nullify { try values.encode(deleteRule, forKey: .deleteRule) }
        if minimumCount != 0 { try values.encode(minimumCount, forKey: .minimumCount) }
        if maximumCount != (isToMany ? 0 : 1) {
            try values.encode(maximumCount, forKey: .maximumCount)
        }
        try values.encodeIfPresent(renamingIdentifier, forKey: .renamingIdentifier)
        try values.encodeIfPresent(versionHashModifier, forKey: .versionHashModifier)
        if !userInfo.isEmpty { try values.encode(userInfo, forKey: .userInfo) }
    }
}

extension DeleteRule: Codable {
    /// Decodes a rule from its name.
    ///
    /// - Throws: `DecodingError` for an unknown name.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        switch Kind(rawValue: try container.decode(String.self)) {
        case .nullify: self = .nullify
        case .cascade: self = .cascade
        case .deny: self = .deny
        case .noAction: self = .noAction
        case nil:
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "an unknown delete rule")
        }
    }

    /// Encodes the name of the rule.
    ///
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(kind.rawValue)
    }
}
