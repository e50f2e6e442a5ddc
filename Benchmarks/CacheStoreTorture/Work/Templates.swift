// SPDX-License-Identifier: MIT

import Foundation

/// What the works find, made once and copied for each try.
@MainActor
struct Templates {
    private let folder: URL

    init(in folder: URL) throws {
        self.folder = folder
        for work in Work.allCases {
            let place = folder.appending(path: work.rawValue)
            try FileManager.default.createDirectory(
                at: place, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try work.prepare(in: place)
        }
    }

    /// Makes a folder hold what a work finds, and nothing else.
    func copy(_ work: Work, to place: URL) throws {
        try? FileManager.default.removeItem(at: place)
        try FileManager.default.copyItem(
            at: folder.appending(path: work.rawValue), to: place)
    }
}
