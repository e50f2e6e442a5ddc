// SPDX-License-Identifier: MIT

import Foundation

/// Finds the package lists of a machine.
struct IndexLocator {
    /// The file in which dpkg notes what is installed.
    var statusFile = URL(fileURLWithPath: "/var/lib/dpkg/status")
    /// The folder in which apt keeps the lists of its archives.
    var listsDirectory = URL(fileURLWithPath: "/var/lib/apt/lists", isDirectory: true)
    /// The list to take on a machine without dpkg.
    var sampleFile = IndexLocator.findSample()

    /// The lists to read: what is installed, with `includingArchives` apt's lists too, and the
    /// sample where there is neither.
    func sources(includingArchives: Bool) throws -> [IndexSource] {
        var sources: [IndexSource] = []
        if let status = source(.installed, statusFile) { sources.append(status) }
        if includingArchives { sources += archives() }
        if sources.isEmpty, let sampleFile, let sample = source(.sample, sampleFile) {
            sources.append(sample)
        }
        guard !sources.isEmpty else {
            throw IndexError(
                .noIndex, "there is no package list at \(statusFile.path), and no sample")
        }
        return sources
    }

    /// A list that the user named.
    func source(at path: String) throws -> IndexSource {
        guard let source = source(.named, URL(fileURLWithPath: path)) else {
            throw IndexError(.unreadable, "\(path) is not a file that can be read")
        }
        return source
    }

    private func archives() -> [IndexSource] {
        // A folder that is missing or closed to us has no lists, which is no mistake.
        let files = try? FileManager.default.contentsOfDirectory(
            at: listsDirectory, includingPropertiesForKeys: nil)
        return (files ?? []).filter { Self.isPackageList($0.lastPathComponent) }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .compactMap { source(.archive, $0) }
    }

    /// Whether a name is that of a list: `…_Packages`, with one ending more if it is compressed.
    private static func isPackageList(_ name: String) -> Bool {
        guard let mark = name.range(of: "_Packages", options: .backwards) else { return false }
        let ending = name[mark.upperBound...]
        return ending.isEmpty || (ending.hasPrefix(".") && !ending.dropFirst().contains("."))
    }

    private func source(_ kind: IndexSource.Kind, _ url: URL) -> IndexSource? {
        let path = url.resolvingSymlinksInPath().path
        guard FileManager.default.isReadableFile(atPath: path),
            let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            attributes[.type] as? FileAttributeType == .typeRegular
        else { return nil }
        let size = (attributes[.size] as? NSNumber)?.intValue ?? 0
        return IndexSource(kind: kind, url: url, byteCount: size)
    }

    /// Looks for the sample in the folders above the program and above the current folder.
    static func findSample() -> URL? {
        let program = URL(fileURLWithPath: CommandLine.arguments.first ?? "")
            .resolvingSymlinksInPath()
        let current = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        for start in [program.deletingLastPathComponent(), current] {
            var folder = start.standardizedFileURL
            while true {
                let file = folder.appendingPathComponent("Resources/PackageCatalog/status.sample")
                if FileManager.default.isReadableFile(atPath: file.path) { return file }
                let parent = folder.deletingLastPathComponent()
                if parent.path == folder.path || folder.path == "/" { break }
                folder = parent
            }
        }
        return nil
    }
}
