// SPDX-License-Identifier: MIT

// What a description does not say is left out of the encoded form, and what is left out is not
// said: later versions can add fields.

extension EntityDescription: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, superentity, isAbstract, attributes, relationships, uniquenessConstraints
        case indexes, renamingIdentifier, versionHashModifier, userInfo
    }

    /// Decodes a description.
    ///
    /// - Throws: `DecodingError` if there is no name, or a part has the wrong form.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try values.decode(String.self, forKey: .name),
            superentity: try values.decodeIfPresent(String.self, forKey: .superentity),
            isAbstract: try values.decodeIfPresent(Bool.self, forKey: .isAbstract) ?? false,
            attributes: try values.decodeIfPresent(
                [AttributeDescription].self, forKey: .attributes) ?? [],
            relationships: try values.decodeIfPresent(
                [RelationshipDescription].self, forKey: .relationships) ?? [],
            uniquenessConstraints: try values.decodeIfPresent(
                [[String]].self, forKey: .uniquenessConstraints) ?? [],
            indexes: try values.decodeIfPresent([IndexDescription].self, forKey: .indexes) ?? [],
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
        try values.encodeIfPresent(superentity, forKey: .superentity)
        if isAbstract { try values.encode(true, forKey: .isAbstract) }
        if !attributes.isEmpty { try values.encode(attributes, forKey: .attributes) }
        if !relationships.isEmpty { try values.encode(relationships, forKey: .relationships) }
        if !uniquenessConstraints.isEmpty {
            try values.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
        }
        if !indexes.isEmpty { try values.encode(indexes, forKey: .indexes) }
        try values.encodeIfPresent(renamingIdentifier, forKey: .renamingIdentifier)
        try values.encodeIfPresent(versionHashModifier, forKey: .versionHashModifier)
        if !userInfo.isEmpty { try values.encode(userInfo, forKey: .userInfo) }
    }
}

extension IndexDescription: Codable {
    private enum CodingKeys: String, CodingKey { case name, properties }

    /// Decodes a description.
    ///
    /// - Throws: `DecodingError` if there is no name or list of properties.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try values.decode(String.self, forKey: .name),
            on: try values.decode([String].self, forKey: .properties))
    }

    /// Encodes the description.
    ///
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(name, forKey: .name)
        try values.encode(properties, forKey: .properties)
    }
}
