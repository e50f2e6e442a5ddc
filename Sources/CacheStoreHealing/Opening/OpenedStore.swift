// SPDX-License-Identifier: MIT

/// What opening gave.
package struct OpenedStore: Sendable {
    /// The file; `nil` when the session is to keep its objects in memory, as the policy allows.
    package let file: StoreFile?
    package internal(set) var report: StoreOpenReport
}
