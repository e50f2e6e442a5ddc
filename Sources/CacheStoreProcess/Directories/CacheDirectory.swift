// SPDX-License-Identifier: MIT

package import Foundation

/// The directory under which programs of this user keep their caches, and how it was found.
///
/// In this order: the directory the program names; `$CACHE_DIRECTORY`, which systemd sets for
/// `CacheDirectory=`; `$XDG_CACHE_HOME`; `$HOME/.cache`; `.cache` in the home directory that the
/// password database has. A variable that is empty or not absolute is passed over, as the XDG Base
/// Directory Specification demands: a relative path would depend on where the program was started.
///
/// For root a variable of the user is passed over as well where it leads to a directory of somebody
/// else: `sudo` may leave `$HOME` as it was, and root's files in a user's cache would lock that user
/// out of it.
package struct CacheDirectory: Sendable, Hashable {
    /// Where the path of a ``CacheDirectory`` comes from.
    package enum Origin: Sendable, Hashable {
        /// The program named the directory.
        case explicit
        /// `$CACHE_DIRECTORY`, set by systemd.
        case serviceManager
        /// `$XDG_CACHE_HOME`.
        case xdgCacheHome
        /// `$HOME`.
        case home
        /// The home directory in the password database.
        case passwordDatabase
    }

    /// The absolute path, without a slash at the end.
    package let path: String
    /// Where the path comes from.
    package let origin: Origin
    /// Whether the environment names a directory of another user, which root has passed over.
    package let avoidsHomeOfAnotherUser: Bool

    /// Finds the directory; looks at the environment and touches nothing.
    ///
    /// - Throws: ``DirectoryError`` with the code `notAbsolute` when `explicit` is not an absolute
    ///   file path, or `noHomeDirectory` when nothing names a directory.
    package static func resolve(
        explicit: URL? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        users: UserDatabase = .system
    ) throws(DirectoryError) -> CacheDirectory {
        if let explicit { return try resolve(explicit: explicit) }
        let serviceManager = environment["CACHE_DIRECTORY"]?
            .split(separator: ":").lazy.compactMap { absolute(String($0)) }.first
        if let serviceManager {
            return CacheDirectory(path: serviceManager, origin: .serviceManager)
        }
        var avoidsOther = false
        func mayUse(_ path: String) -> Bool {
            if !belongsToAnotherThanRoot(path, users) { return true }
            avoidsOther = true
            return false
        }
        if let path = environment["XDG_CACHE_HOME"].flatMap(absolute), mayUse(path) {
            return CacheDirectory(path: path, origin: .xdgCacheHome)
        }
        if let home = environment["HOME"].flatMap(absolute), mayUse(home) {
            return CacheDirectory(
                path: caches(inHome: home), origin: .home, avoidsHomeOfAnotherUser: avoidsOther)
        }
        if let home = users.homeDirectory(users.effectiveUserID).flatMap(absolute) {
            return CacheDirectory(
                path: caches(inHome: home), origin: .passwordDatabase,
                avoidsHomeOfAnotherUser: avoidsOther)
        }
        throw DirectoryError(
            .noHomeDirectory,
            "No cache directory: CACHE_DIRECTORY, XDG_CACHE_HOME and HOME are unset, not "
                + "absolute or another user's, and the password database has no home for user "
                + "\(users.effectiveUserID).")
    }

    /// Returns the directory of one application, or of one namespace of it.
    ///
    /// A directory that the program named is the application's own, so only the namespace is
    /// appended to it.
    ///
    /// - Throws: ``DirectoryError`` with the code `invalidPathComponent`.
    package func directory(
        applicationIdentifier: String, namespace: String? = nil
    ) throws(DirectoryError) -> String {
        let application = try PathComponent(
            validating: applicationIdentifier, as: "application identifier")
        var result = path
        if origin != .explicit { result = Self.join(result, application.string) }
        if let namespace {
            let component = try PathComponent(validating: namespace, as: "namespace")
            result = Self.join(result, component.string)
        }
        return result
    }

    private init(path: String, origin: Origin, avoidsHomeOfAnotherUser: Bool = false) {
        self.path = path
        self.origin = origin
        self.avoidsHomeOfAnotherUser = avoidsHomeOfAnotherUser
    }

    /// Whether this process is root's, and the nearest directory of the path that exists is not.
    private static func belongsToAnotherThanRoot(_ path: String, _ users: UserDatabase) -> Bool {
        guard users.effectiveUserID == 0 else { return false }
        var place: String? = path
        while let current = place {
            if let owner = users.owner(current) { return owner != 0 }
            place = parent(of: current)
        }
        return false
    }

    private static func resolve(explicit: URL) throws(DirectoryError) -> CacheDirectory {
        // A relative file URL has been made absolute against the working directory by Foundation.
        guard explicit.isFileURL, let path = absolute(explicit.path(percentEncoded: false)) else {
            throw DirectoryError(
                .notAbsolute, "The directory for the store must be an absolute file path.")
        }
        return CacheDirectory(path: path, origin: .explicit)
    }

    /// Returns the path without slashes at its end, if it is absolute and the system can take it.
    private static func absolute(_ path: String) -> String? {
        // A NUL would cut the path off in C and lead somewhere else.
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else { return nil }
        var result = path[...]
        while result.utf8.count > 1, result.utf8.last == UInt8(ascii: "/") {
            result = result.dropLast()
        }
        return String(result)
    }

    private static func join(_ directory: String, _ name: String) -> String {
        directory == "/" ? "/" + name : directory + "/" + name
    }

    private static func caches(inHome home: String) -> String {
        #if canImport(Darwin)
            // Untested: the caches folder of macOS.
            return join(join(home, "Library"), "Caches")
        #else
            return join(home, ".cache")
        #endif
    }
}
