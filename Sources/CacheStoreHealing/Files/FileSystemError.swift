// SPDX-License-Identifier: MIT

import Foundation

/// A system call on a file that failed.
struct FileSystemError: Error, Sendable, Hashable, CustomStringConvertible {
    let action: String
    let path: String
    let number: Int32

    init(_ action: String, _ path: String, number: Int32 = errno) {
        self.action = action
        self.path = path
        self.number = number
    }

    var isNoSpace: Bool { number == ENOSPC || number == EDQUOT || number == EFBIG }

    var description: String { "cannot \(action) \(path) (errno \(number))" }
}

extension PersistentStoreError {
    init(file error: FileSystemError, path: String? = nil) {
        let code: Code =
            switch error.number {
            case ENOSPC, EDQUOT, EFBIG: .noSpace
            case EACCES, EPERM: .permissionDenied
            case EROFS: .readOnly
            case EMFILE, ENFILE, ENOMEM: .outOfResources
            default: .unavailable
            }
        self.init(
            code, "A file of the store cannot be used.", path: path ?? error.path, underlying: error
        )
    }
}
