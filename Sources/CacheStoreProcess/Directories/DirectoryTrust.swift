// SPDX-License-Identifier: MIT

#if canImport(Darwin)
    package import Darwin
#elseif canImport(Glibc)
    package import Glibc
#elseif canImport(Musl)
    package import Musl
#endif

/// The rule by which a directory is trusted with a store.
///
/// Whoever may write to a directory can replace the files in it. A directory is trusted when it
/// belongs to the user of this process, or to root (who can do everything anyway), and when nobody
/// else may write to it. The sticky bit protects the files of others, so with it writing is no harm.
package struct DirectoryTrust: Sendable {
    /// The user whose rights the process has.
    package var effectiveUserID: uid_t
    /// Whether members of the directory's group may write to it.
    package var allowsGroupWriting: Bool

    package init(effectiveUserID: uid_t = geteuid(), allowsGroupWriting: Bool = false) {
        self.effectiveUserID = effectiveUserID
        self.allowsGroupWriting = allowsGroupWriting
    }

    /// Checks what a path leads to; symbolic links are followed, as systemd's own need it.
    ///
    /// - Throws: ``DirectoryError`` with the code `notADirectory`, `untrustedOwner`,
    ///   `worldWritable`, or the code of the failure to look.
    package func check(_ path: String) throws(DirectoryError) {
        guard let status = SystemCall.status(at: path) else {
            throw DirectoryError(systemErrorNumber: errno, doing: "look at", at: path)
        }
        guard status.isDirectory else {
            throw DirectoryError(.notADirectory, "\(path) is not a directory.", path: path)
        }
        try check(owner: status.st_uid, mode: status.st_mode, path: path)
    }

    /// Checks an owner and a mode.
    package func check(owner: uid_t, mode: mode_t, path: String) throws(DirectoryError) {
        guard owner == effectiveUserID || owner == 0 else {
            throw DirectoryError(
                .untrustedOwner,
                "\(path) belongs to user \(owner), but this process runs as \(effectiveUserID).",
                path: path)
        }
        let othersWriting: mode_t = allowsGroupWriting ? 0o002 : 0o022
        guard mode & othersWriting == 0 || mode & 0o1000 != 0 else {
            throw DirectoryError(
                .worldWritable,
                "Other users may write to \(path) (mode \(String(mode & 0o7777, radix: 8))).",
                path: path)
        }
    }
}
