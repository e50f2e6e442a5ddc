// SPDX-License-Identifier: MIT

#if canImport(Darwin)
    package import Darwin
#elseif canImport(Glibc)
    package import Glibc
#elseif canImport(Musl)
    package import Musl
#endif

/// What is asked about users: who runs this process, and where a user's home is.
///
/// A value of closures, so that a test can be any user.
package struct UserDatabase: Sendable {
    /// The user whose rights the process has.
    package var effectiveUserID: uid_t
    /// Returns a user's home directory as the password database has it, or `nil`.
    package var homeDirectory: @Sendable (uid_t) -> String?
    /// Returns the user who owns what a path leads to, or `nil` where there is nothing.
    package var owner: @Sendable (String) -> uid_t?

    package init(
        effectiveUserID: uid_t,
        homeDirectory: @escaping @Sendable (uid_t) -> String?,
        owner: @escaping @Sendable (String) -> uid_t?
    ) {
        self.effectiveUserID = effectiveUserID
        self.homeDirectory = homeDirectory
        self.owner = owner
    }

    /// The users of this machine.
    package static var system: UserDatabase {
        UserDatabase(
            effectiveUserID: geteuid(),
            homeDirectory: { passwordDatabaseHome(of: $0) },
            owner: { SystemCall.status(at: $0)?.st_uid })
    }

    private static func passwordDatabaseHome(of user: uid_t) -> String? {
        // Entries that come from a directory service can be large: grow, but not for ever.
        var size = 1024
        while size <= 1 << 20 {
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            var buffer = [CChar](repeating: 0, count: size)
            // The strings of `entry` point into `buffer`, so they are read before it goes away.
            let (result, home) = buffer.withUnsafeMutableBufferPointer { bytes in
                guard let start = bytes.baseAddress else { return (ENOMEM, String?.none) }
                let result = getpwuid_r(user, &entry, start, bytes.count, &found)
                let home = found?.pointee.pw_dir.map { String(cString: $0) }
                return (result, home)
            }
            switch result {
            case 0: return home
            case ERANGE: size *= 2
            case EINTR: continue
            default: return nil
            }
        }
        return nil
    }
}
