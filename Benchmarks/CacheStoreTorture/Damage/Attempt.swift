// SPDX-License-Identifier: MIT

import CacheStore
import Foundation

/// What one damaged store led to.
struct Finding: Sendable {
    var isFound = false
    var isHealed = false
    var isSilent = false
    var isLost = false

    /// What came of the same damage in two ways: good only where both are.
    func and(_ other: Finding) -> Finding {
        Finding(
            isFound: isFound && other.isFound, isHealed: isHealed && other.isHealed,
            isSilent: isSilent || other.isSilent, isLost: isLost || other.isLost)
    }
}

/// Opens a damaged store and reads it.
@MainActor
struct Attempt {
    let file: URL
    let verification: PersistentStoreDescription.Verification
    /// What was saved; `nil` where the files never were a store.
    let expected: [String: String]?

    func run() -> Finding {
        var finding = Finding()
        do {
            let store = try AlbumStore(at: file, verification: verification)
            defer { try? store.close() }
            if store.report.wasResetOrCreated {
                finding.isFound = true
            } else {
                let content = try store.content()
                // Damage that is met in use is healed in use: what was read is a miss, and told.
                if store.wasResetInUse {
                    finding.isFound = true
                } else {
                    compare(content, &finding)
                }
            }
        } catch {
            finding.isFound = true
        }
        if finding.isFound { finding.isHealed = works() }
        return finding
    }

    private func compare(_ content: [String: String], _ finding: inout Finding) {
        guard let expected else {
            finding.isSilent = !content.values.allSatisfy { $0 == "0" }
            return
        }
        for (key, value) in expected {
            if let found = content[key] {
                if found != value { finding.isSilent = true }
            } else {
                finding.isLost = true
            }
        }
        if content.keys.contains(where: { expected[$0] == nil }) { finding.isSilent = true }
    }

    /// Whether the store can be used again: opened, saved to, and opened once more.
    private func works() -> Bool {
        do {
            let store = try AlbumStore(at: file)
            // Nothing of what was damaged may be left, and what is there must be readable.
            _ = try store.content()
            try store.savesAnObject()
            try store.close()
            let again = try AlbumStore(at: file, verification: .always)
            defer { try? again.close() }
            return try !again.report.wasResetOrCreated && again.hasSavedObject()
        } catch {
            StandardStreams.tell("not healed: \(error)")
            return false
        }
    }
}
