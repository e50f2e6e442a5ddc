// SPDX-License-Identifier: MIT

/// A value as JSON, with the keys of objects in the order in which they were given.
enum JSONValue {
    case null
    case boolean(Bool)
    case integer(Int)
    case string(String)
    case array([JSONValue])
    case object([JSONField])

    static func optional(_ value: Int?) -> JSONValue { value.map { .integer($0) } ?? .null }
    static func optional(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
    static func strings(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }

    /// Counts by name, the names sorted.
    static func counts(_ counts: [String: Int]) -> JSONValue {
        .object(counts.sorted { $0.key < $1.key }.map { JSONField($0.key, .integer($0.value)) })
    }

    /// The text, indented by two spaces for each level.
    var text: String { text(indentation: "") }

    private func text(indentation: String) -> String {
        let inner = indentation + "  "
        switch self {
        case .null: return "null"
        case .boolean(let value): return value ? "true" : "false"
        case .integer(let value): return String(value)
        case .string(let value): return Self.quoted(value)
        case .array(let values):
            if values.isEmpty { return "[]" }
            let lines = values.map { inner + $0.text(indentation: inner) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(indentation)]"
        case .object(let fields):
            if fields.isEmpty { return "{}" }
            let lines = fields.map {
                "\(inner)\(Self.quoted($0.key)): \($0.value.text(indentation: inner))"
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indentation)}"
        }
    }

    private static func quoted(_ string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
