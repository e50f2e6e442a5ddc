// SPDX-License-Identifier: MIT

extension StoreOpenReport {
    /// What came of opening a store.
    public struct Outcome: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: Sendable, Hashable {
            case opened, created, migrated, reset, salvaged, inMemory
        }

        private let kind: Kind

        /// The store was there and is used as it was.
        public static let opened = Outcome(kind: .opened)
        /// There was no store; an empty one was made.
        public static let created = Outcome(kind: .created)
        /// The store was brought to the current model, with its objects.
        public static let migrated = Outcome(kind: .migrated)
        /// The content could not be used; the store is empty now.
        public static let reset = Outcome(kind: .reset)
        /// The store was damaged; what could be read was taken over into it.
        public static let salvaged = Outcome(kind: .salvaged)
        /// The store could not be had; the session's objects are kept in memory only.
        public static let inMemory = Outcome(kind: .inMemory)

        /// The name of the outcome.
        public var description: String {
            switch kind {
            case .opened: "opened"
            case .created: "created"
            case .migrated: "migrated"
            case .reset: "reset"
            case .salvaged: "salvaged"
            case .inMemory: "in memory"
            }
        }
    }
}
