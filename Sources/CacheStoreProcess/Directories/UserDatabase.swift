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

    /// Returns whether a group is the private one of a user: has the user's name, is the user's
    /// primary group, and has no other members.
    package var isPrivateGroup: @Sendable (gid_t, uid_t) -> Bool

    package init(
        effectiveUserID: uid_t,
        homeDirectory: @escaping @Sendable (uid_t) -> String?,
        owner: @escaping @Sendable (String) -> uid_t?,
        isPrivateGroup: @escaping @Sendable (gid_t, uid_t) -> Bool = { _, _ in false }
    ) {
        self.effectiveUserID = effectiveUserID
        self.homeDirectory = homeDirectory
        self.owner = owner
        self.isPrivateGroup = isPrivateGroup
    }

    /// The users of this machine.
    package static var system: UserDatabase {
        UserDatabase(
            effectiveUserID: geteuid(),
            homeDirectory: { entry(of: $0)?.home },
            owner: { SystemCall.status(at: $0)?.st_uid },
            isPrivateGroup: { group, user in
                // That nobody else has it as primary group is not asked: it would take reading the
                // whole database, and an administrator would have to have meant it.
                guard let entry = entry(of: user), entry.primaryGroup == group,
                    let found = groupEntry(group), found.name == entry.name
                else { return false }
                return found.members.allSatisfy { $0 == entry.name }
            })
    }

    private struct Entry {
        var name: String
        var home: String?
        var primaryGroup: gid_t
    }

    private static func entry(of user: uid_t) -> Entry? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        return withGrowingBuffer { buffer, size in
            let result = getpwuid_r(user, &entry, buffer, size, &found)
            // The strings lie in the buffer, so they are read before it goes away.
            let copy = found.map { found in
                Entry(
                    name: string(found.pointee.pw_name) ?? "",
                    home: string(found.pointee.pw_dir), primaryGroup: found.pointee.pw_gid)
            }
            return (result, copy)
        }
    }

    // The structure that C calls `group`.
    private typealias GroupEntry = group

    private static func groupEntry(_ number: gid_t) -> (name: String, members: [String])? {
        var entry = GroupEntry()
        var found: UnsafeMutablePointer<GroupEntry>?
        return withGrowingBuffer { buffer, size in
            let result = getgrgid_r(number, &entry, buffer, size, &found)
            guard let found else { return (result, nil) }
            var members: [String] = []
            var next = found.pointee.gr_mem
            while let current = next, let member = string(current.pointee) {
                members.append(member)
                next = current + 1
            }
            return (result, (name: string(found.pointee.gr_name) ?? "", members: members))
        }
    }

    private static func string(_ text: UnsafeMutablePointer<CChar>?) -> String? {
        text.map { String(cString: $0) }
    }

    /// Entries that come from a directory service can be large: grows, but not for ever.
    private static func withGrowingBuffer<T>(
        _ ask: (UnsafeMutablePointer<CChar>, Int) -> (Int32, T?)
    ) -> T? {
        var size = 1024
        while size <= 1 << 20 {
            let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
            defer { buffer.deallocate() }
            let (result, value) = ask(buffer, size)
            switch result {
            case 0: return value
            case ERANGE: size *= 2
            case EINTR: continue
            default: return nil
            }
        }
        return nil
    }
}
