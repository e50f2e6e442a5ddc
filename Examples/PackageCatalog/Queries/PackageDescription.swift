// SPDX-License-Identifier: MIT

/// A package, for a person to read.
struct PackageDescription {
    private var lines: [String] = []

    /// The description, its lines parted by line feeds.
    var text: String { lines.joined(separator: "\n") }

    /// Describes a package: of its versions the newest one in full.
    init(of package: Package) {
        add("Package", package.name)
        let versions = package.versionsByAge
        for version in versions {
            add(
                "Version",
                "\(version.number) \(version.architecture)"
                    + (version.isInstalled ? " (installed)" : ""))
        }
        if let newest = versions.first { describe(newest) }
        let providers = Set(package.providers.compactMap(\.package?.name))
        add("Provided by", providers.sorted().joined(separator: ", "))
        guard let newest = versions.first else { return }
        add("Description", newest.summary)
        for line in (newest.details ?? "").split(separator: "\n", omittingEmptySubsequences: false)
        {
            lines.append(" \(line)")
        }
    }

    private mutating func describe(_ version: Version) {
        add("Section", version.section?.name)
        add("Priority", version.priority)
        add("Essential", version.isEssential ? "yes" : nil)
        if let maintainer = version.maintainer {
            let mail = maintainer.mail.isEmpty ? nil : "<\(maintainer.mail)>"
            add(
                "Maintainer",
                [maintainer.name.isEmpty ? nil : maintainer.name, mail].compactMap { $0 }
                    .joined(separator: " "))
        }
        add("Homepage", version.homepage)
        add("Installed size", version.installedSize.map { "\($0) KiB" })
        add("Download size", version.downloadSize.map { "\($0) bytes" })
        let groups = version.groups
        for kind in DependencyGroup.Kind.allCases {
            let texts = groups.filter { $0.kind == kind }.map { group in
                group.alternatives.map(\.text).joined(separator: " | ")
            }
            add("\(kind.field.name)", texts.joined(separator: ", "))
        }
        add("Provides", version.provides.map(\.name).sorted().joined(separator: ", "))
    }

    private mutating func add(_ name: String, _ value: String?) {
        guard let value, !value.isEmpty else { return }
        lines.append("\(name): \(value)")
    }
}
