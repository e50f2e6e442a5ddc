// SPDX-License-Identifier: MIT

import CacheStoreModel
import Testing

@Suite struct ManagedObjectModelFingerprintTests {
    private func fingerprint(
        _ attribute: AttributeDescription = AttributeDescription("text", .string),
        _ change: (inout EntityDescription) -> Void = { _ in }
    ) throws -> String {
        var note = EntityDescription("Note", attributes: [attribute])
        change(&note)
        return try ManagedObjectModel(entities: [note]).fingerprint
    }

    @Test func `defaults, validation and user info do not count`() throws {
        let changed = AttributeDescription(
            "text", .string, default: .string("x"), validation: [.minimumLength(1)],
            renamingIdentifier: "old", userInfo: ["a": "b"])
        #expect(try fingerprint() == fingerprint(changed))
    }

    @Test func `types, options, optionality and modifiers count`() throws {
        let variants = [
            AttributeDescription("text", .string),
            AttributeDescription("text", .url),
            AttributeDescription("text", .string, isOptional: true),
            AttributeDescription("text", .string, options: .indexed),
            AttributeDescription("text", .string, versionHashModifier: "2"),
            AttributeDescription("other", .string),
        ]
        let fingerprints = Set(try variants.map { try fingerprint($0) })
        #expect(fingerprints.count == variants.count)
    }

    @Test func `indexes and constraints count, the order of attributes does not`() throws {
        let plain = try fingerprint()
        #expect(try plain != fingerprint { $0.uniquenessConstraints = [["text"]] })
        #expect(try plain != fingerprint { $0.indexes = [IndexDescription("i", on: ["text"])] })
        let one = AttributeDescription("a", .string)
        let two = AttributeDescription("b", .string)
        #expect(
            try fingerprint(one) { $0.attributes = [one, two] }
                == fingerprint(one) { $0.attributes = [two, one] })
    }

    @Test func `it is 64 lower-case hexadecimal digits`() throws {
        let text = try fingerprint()
        #expect(text.count == 64)
        #expect(text.allSatisfy { $0.isHexDigit && !$0.isUppercase })
    }
}
