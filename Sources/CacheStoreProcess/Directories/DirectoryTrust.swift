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
///
/// Members of the directory's group may write where nobody else is one: where it is the private group
/// of the owner or of this user. Systems that give each user such a group (Debian among them) make
/// directories group-writable by default. It is the rule by which Debian's OpenSSH relaxes
/// `StrictModes` (https://manpages.debian.org/bookworm/openssh-server/sshd_config.5.en.html).
package struct DirectoryTrust: Sendable {
    /// Who runs this process, and which groups are private.
    package var users: UserDatabase

    package init(users: UserDatabase = .system) { self.users = users }

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
        try check(
            owner: status.st_uid, group: status.st_gid, mode: status.st_mode, path: path)
    }

    /// Checks an owner, a group and a mode.
    package func check(
        owner: uid_t, group: gid_t, mode: mode_t, path: String
    ) throws(DirectoryError) {
        let user = users.effectiveUserID
        guard owner == user || owner == 0 else {
            throw DirectoryError(
                .untrustedOwner,
                "\(path) belongs to user \(owner), but this process runs as \(user).",
                path: path)
        }
        if mode & 0o1000 != 0 { return }
        if mode & 0o002 != 0 { throw refusal("Everybody", mode, path) }
        guard
            mode & 0o020 == 0 || users.isPrivateGroup(group, owner)
                || users.isPrivateGroup(group, user)
        else { throw refusal("Group \(group)", mode, path) }
    }

    private func refusal(_ who: String, _ mode: mode_t, _ path: String) -> DirectoryError {
        DirectoryError(
            .worldWritable,
            "\(who) may write to \(path) (mode \(String(mode & 0o7777, radix: 8))), so its files "
                + "cannot be trusted. Take that away: chmod go-w.",
            path: path)
    }
}
