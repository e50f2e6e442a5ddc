// SPDX-License-Identifier: MIT

import Foundation

/// The stored form of a value: its type and the value, as in `{"integer": 3}`.
///
/// References to objects are not values of their own and cannot be encoded.
extension PropertyValue: Codable {
    private enum CodingKeys: String, CodingKey {
        case null, integer, boolean, double, string, date, data, decimal, uuid, url
    }

    /// Decodes a value.
    ///
    /// - Throws: `DecodingError` if there is no known type, or a value that is not of its type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let key = container.allKeys.first else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "a value without a type"))
        }
        func text<T>(_ parse: (String) -> T?) throws -> T {
            guard let value = parse(try container.decode(String.self, forKey: key)) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: container, debugDescription: "not a value of its type")
            }
            return value
        }
        switch key {
        case .null: self = .null
        case .integer: self = .integer(try container.decode(Int64.self, forKey: key))
        case .boolean: self = .boolean(try container.decode(Bool.self, forKey: key))
        // As text, since JSON has neither infinity nor "not a number".
        case .double: self = .double(try text { Double($0) })
        case .date: self = .date(Date(timeIntervalSince1970: try text { Double($0) }))
        case .string: self = .string(try container.decode(String.self, forKey: key))
        case .data: self = .data(try text { Data(base64Encoded: $0) })
        case .decimal: self = .decimal(try text { Decimal(string: $0, locale: nil) })
        case .uuid: self = .uuid(try text { UUID(uuidString: $0) })
        case .url: self = .url(try text { URL(string: $0) })
        }
    }

    /// Encodes the value.
    ///
    /// - Throws: `EncodingError` for a reference to an object.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .null: try container.encode(true, forKey: .null)
        case .integer(let value): try container.encode(value, forKey: .integer)
        case .boolean(let value): try container.encode(value, forKey: .boolean)
        case .double(let value): try container.encode(value.description, forKey: .double)
        case .string(let value): try container.encode(value, forKey: .string)
        case .date(let value):
            try container.encode(value.timeIntervalSince1970.description, forKey: .date)
        case .data(let value): try container.encode(value.base64EncodedString(), forKey: .data)
        case .decimal(let value): try container.encode(value.description, forKey: .decimal)
        case .uuid(let value): try container.encode(value.uuidString, forKey: .uuid)
        case .url(let value): try container.encode(value.absoluteString, forKey: .url)
        case .object:
            throw EncodingError.invalidValue(
                self,
                .init(
                    codingPath: encoder.codingPath,
                    debugDescription: "a reference to an object cannot be encoded"))
        }
    }
}
