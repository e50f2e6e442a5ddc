// SPDX-License-Identifier: MIT

/// What a list says about one version of a package, read but in no store yet.
struct CatalogEntry: Sendable {
    var name: String
    var number: String
    var architecture: String
    var summary: String
    var details: String?
    var homepage: String?
    var priority: String?
    var source: String?
    var section: String?
    var maintainer: MaintainerName?
    var isEssential: Bool
    var isInstalled: Bool
    var installedSize: Int64?
    var downloadSize: Int64?
    var dependencies: [(kind: DependencyGroup.Kind, field: DependencyField)] = []
    var provides: DependencyField
    /// A number made of the fields that the dependencies are in.
    var dependencyDigest: Int64
    /// The lines and dependencies that made no sense.
    var malformedCount: Int

    /// Reads a stanza; `nil` where it lacks a name or a version.
    init?(_ stanza: ControlStanza) {
        guard let name = stanza[.package], !name.isEmpty,
            let number = stanza[.version], !number.isEmpty
        else { return nil }
        self.name = name
        self.number = number
        architecture = stanza[.architecture] ?? "all"
        let text = (stanza[.description] ?? "").split(separator: "\n", maxSplits: 1)
        summary = text.first.map(String.init) ?? ""
        details = text.count > 1 ? String(text[1]) : nil
        homepage = stanza[.homepage]
        priority = stanza[.priority]
        source = stanza[.source]
        section = stanza[.section]
        maintainer = stanza[.maintainer].flatMap { MaintainerName(parsing: $0) }
        isEssential = stanza[.essential] == "yes"
        isInstalled = stanza[.status]?.hasSuffix(" installed") ?? false
        installedSize = stanza.integer(.installedSize)
        downloadSize = stanza.integer(.size)
        malformedCount = stanza.malformedLineCount

        var digest = FieldDigest()
        for kind in DependencyGroup.Kind.allCases {
            guard let text = stanza[kind.field] else { continue }
            digest.add(text, of: kind.field)
            let field = DependencyField(parsing: text)
            malformedCount += field.malformed.count
            if !field.groups.isEmpty { dependencies.append((kind, field)) }
        }
        let provides = stanza[.provides] ?? ""
        digest.add(provides, of: .provides)
        self.provides = DependencyField(parsing: provides)
        malformedCount += self.provides.malformed.count
        dependencyDigest = digest.value
    }

    /// The names of the packages that the entry mentions, its own left out.
    var mentionedNames: [String] {
        var names = provides.groups.joined().map(\.name)
        for (_, field) in dependencies { names += field.groups.joined().map(\.name) }
        return names
    }
}

/// FNV-1a over fields: the same in every run, unlike Swift's hash values.
private struct FieldDigest {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    var value: Int64 { Int64(bitPattern: state) }

    mutating func add(_ text: String, of field: ControlField) {
        add(UInt8(truncatingIfNeeded: field.rawValue))
        for byte in text.utf8 { add(byte) }
        // No text has this byte, so that two fields cannot be taken for one.
        add(0xFF)
    }

    private mutating func add(_ byte: UInt8) {
        state = (state ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}
