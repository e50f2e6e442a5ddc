// SPDX-License-Identifier: MIT

import CacheStoreHealing
import Foundation

/// The directory beside a store where large values have files of their own.
struct ExternalFiles: Sendable {
    let directory: URL
    /// Whether files reach the disk before the row that names them does.
    let synchronizes: Bool
    /// How long others who use the files are waited for.
    let busyTimeout: Duration

    func url(of name: UUID) -> URL {
        directory.appendingPathComponent(name.uuidString, isDirectory: false)
    }

    /// Makes the directory, unless it is there.
    func makeDirectory() throws {
        guard mkdir(directory.path, 0o700) != 0, errno != EEXIST else { return }
        let isFull = errno == ENOSPC || errno == EDQUOT
        throw PersistentStoreError(
            isFull ? .noSpace : .unavailable,
            "The directory of large values could not be made.", path: directory.path)
    }

    /// Writes a new file under its final name, whole or not at all. The directory is there.
    func write(_ bytes: Data, name: UUID) throws {
        do {
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
