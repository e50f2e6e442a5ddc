// SPDX-License-Identifier: MIT

/// Why a file could not be damaged.
public struct CorruptionError: Error, Sendable, Hashable {
    /// The reason.
    public struct Code: Sendable, Hashable {
        private enum Value: Sendable {
            case noPlace, needsOlderFile, fileChanged
        }

        private let value: Value

        /// The file is too small, or already as the damage would make it.
        public static let noPlace = Code(value: .noPlace)
        /// This damage needs an older copy of the file.
        public static let needsOlderFile = Code(value: .needsOlderFile)
        /// The file became shorter meanwhile: somebody uses it.
        public static let fileChanged = Code(value: .fileChanged)

        /// Returns whether an error is a ``CorruptionError`` with this code.
        public static func ~= (pattern: Self, error: any Error) -> Bool {
            (error as? CorruptionError)?.code == pattern
        }
    }

    /// The reason.
    public let code: Code
    /// What was to be done.
    public let damage: Damage?
}
