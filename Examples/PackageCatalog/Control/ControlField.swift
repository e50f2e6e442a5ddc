// SPDX-License-Identifier: MIT

/// A field of a package's stanza that the catalogue reads; all others are skipped unread.
enum ControlField: Int, CaseIterable, Sendable {
    case package, version, architecture, source, section, priority, status, essential
    case maintainer, homepage, description, installedSize, size, filename
    case preDepends, depends, recommends, suggests, enhances
    case conflicts, breaks, replaces, provides

    /// The name of the field, as an index file spells it.
    var name: StaticString {
        switch self {
        case .package: "Package"
        case .version: "Version"
        case .architecture: "Architecture"
        case .source: "Source"
        case .section: "Section"
        case .priority: "Priority"
        case .status: "Status"
        case .essential: "Essential"
        case .maintainer: "Maintainer"
        case .homepage: "Homepage"
        case .description: "Description"
        case .installedSize: "Installed-Size"
        case .size: "Size"
        case .filename: "Filename"
        case .preDepends: "Pre-Depends"
        case .depends: "Depends"
        case .recommends: "Recommends"
        case .suggests: "Suggests"
        case .enhances: "Enhances"
        case .conflicts: "Conflicts"
        case .breaks: "Breaks"
        case .replaces: "Replaces"
        case .provides: "Provides"
        }
    }

    /// The field with a name, given as bytes; letter case does not matter.
    init?(name bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first else { return nil }
        for field in Self.byInitial[Int(first | 0x20)] where field.isNamed(bytes) {
            self = field
            return
        }
        return nil
    }

    private func isNamed(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let name = self.name
        guard name.utf8CodeUnitCount == bytes.count else { return false }
        for index in bytes.indices where bytes[index] | 0x20 != name.utf8Start[index] | 0x20 {
            return false
        }
        return true
    }

    /// The fields by the lower-case form of their first byte.
    private static let byInitial: [[ControlField]] = {
        var table = [[ControlField]](repeating: [], count: 256)
        for field in allCases { table[Int(field.name.utf8Start[0] | 0x20)].append(field) }
        return table
    }()
}
