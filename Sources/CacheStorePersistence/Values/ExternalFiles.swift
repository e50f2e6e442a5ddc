// SPDX-License-Identifier: MIT

import CacheStoreHealing
import Foundation

/// The directory beside a store where large values have files of their own.
struct ExternalFiles: Sendable {
    let directory: URL
    /// Whether files reach the disk before the row that names them does.
    let synchronizes: Bool

    func url(of name: UUID) -> URL {
        directory.appendingPathComponent(name.uuidString, isDirectory: false)
    }

    /// Writes a new file under its final name, whole or not at all.
    func write(_ bytes: Data, name: UUID) throws {
        do {
            if mkdir(directory.path, 0o700) != 0, errno != EEXIST {
                throw CocoaError(.fileWriteUnknown)
            }
            let final = url(of: name)
            let temporary = final.appendingPathExtension("tmp")
            try bytes.write(to: temporary)
            if synchronizes { try synchronize(temporary.path, flags: O_RDWR) }
            guard rename(temporary.path, final.path) == 0 else {
                let code = errno
                unlink(temporary.path)
                throw NSError(domain: NSPOSIXErrorDomain, code: Int(code))
            }
            if synchronizes { try synchronize(directory.path, flags: O_RDONLY | O_DIRECTORY) }
        } catch {
            throw PersistentStoreError(
                Self.isSpace(error) ? .noSpace : .unavailable,
                "A large value could not be written to a file of its own.", path: directory.path,
                underlying: error)
        }
    }

    func remove(_ name: UUID) { unlink(url(of: name).path) }

    func read(_ reference: EncodedValue.ExternalReference) throws -> Data {
        let path = url(of: reference.name)
        guard let bytes = try? Data(contentsOf: path) else {
            throw PersistentStoreError(
                .damaged, "The file of a large value is missing.", path: path.path)
        }
        guard Deflate.checksum(bytes) == reference.checksum else {
            throw PersistentStoreError(
                .damaged, "The file of a large value is damaged.", path: path.path)
        }
        return bytes
    }

    private func synchronize(_ path: String, flags: Int32) throws {
        let descriptor = open(path, flags | O_CLOEXEC)
        guard descriptor >= 0 else { throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno)) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno))
        }
    }

    private static func isSpace(_ error: any Error) -> Bool {
        if (error as? CocoaError)?.code == .fileWriteOutOfSpace { return true }
        let error = error as NSError
        return error.domain == NSPOSIXErrorDomain
            && [Int(ENOSPC), Int(EDQUOT)].contains(error.code)
    }
}
