// SPDX-License-Identifier: MIT

/// A key of a JSON object, with its value.
struct JSONField {
    let key: String
    let value: JSONValue

    init(_ key: String, _ value: JSONValue) {
        self.key = key
        self.value = value
    }
}
