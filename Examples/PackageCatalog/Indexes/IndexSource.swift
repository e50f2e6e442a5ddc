// SPDX-License-Identifier: MIT

import Foundation

/// A file that lists packages.
struct IndexSource: Sendable, Equatable {
    /// Where the list comes from, and so what its entries mean.
    enum Kind: Sendable, Equatable {
        /// What is installed on this machine.
        case installed
        /// What an archive offers.
        case archive
        /// The sample that comes with the program.
        case sample
        /// A file that the user named.
        case named
    }

    let kind: Kind
    let url: URL

    /// The size of the file.
    let byteCount: Int

    /// The endings of compressed lists, which apt keeps as they were downloaded.
    private static let compressedExtensions: Set<String> = [
        "lz4", "gz", "xz", "bz2", "zst", "lzma",
    ]

    /// Whether the file has to be unpacked.
    var isCompressed: Bool { Self.compressedExtensions.contains(url.pathExtension.lowercased()) }

    /// About how many bytes come out of the file: lists shrink to 37 % with lz4.
    var expectedByteCount: Int { isCompressed ? byteCount * 27 / 10 : byteCount }

    /// What to call the source: the path, or for apt's lists the archive, suite and component.
    var label: String {
        switch kind {
        case .installed: "installed packages"
        case .sample: "the sample"
        case .named: url.path
        case .archive: Self.archiveLabel(url.lastPathComponent)
        }
    }

    /// Makes `deb.example.org bookworm main amd64` of apt's name for a list, which is the address
    /// of the list with its slashes turned to underscores.
    private static func archiveLabel(_ fileName: String) -> String {
        let stem =
            fileName.range(of: "_Packages", options: .backwards)
            .map { fileName[..<$0.lowerBound] } ?? fileName[...]
        var words = stem.split(separator: "_").map(String.init)
        guard let suites = words.firstIndex(of: "dists"), suites > 0 else {
            return words.joined(separator: " ")
        }
        words.removeSubrange(1...suites)
        return words.map { $0.hasPrefix("binary-") ? String($0.dropFirst(7)) : $0 }
            .joined(separator: " ")
    }
}
