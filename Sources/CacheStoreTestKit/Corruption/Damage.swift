// SPDX-License-Identifier: MIT

/// A kind of damage that files suffer.
public struct Damage: Sendable, Hashable {
    private enum Kind: String, Sendable, CaseIterable {
        case oneBit = "one bit"
        case zeroedSector = "512 bytes zeroed"
        case truncation = "truncation"
        case otherPage = "page overwritten by another page"
        case olderPage = "page of an older version"
    }

    private let kind: Kind

    /// One bit is the other way round: memory or a disk that decays.
    public static let oneBit = Damage(kind: .oneBit)
    /// A sector of 512 bytes is zero: a write that did not reach the disk.
    public static let zeroedSector = Damage(kind: .zeroedSector)
    /// The file ends too early, anywhere.
    public static let truncation = Damage(kind: .truncation)
    /// A page has the content of another one: a write that went to the wrong place.
    public static let otherPage = Damage(kind: .otherPage)
    /// A page is as it was in an older version of the file: a write that was lost.
    public static let olderPage = Damage(kind: .olderPage)

    /// Every kind that needs nothing but the file.
    public static let allOfOneFile = [oneBit, zeroedSector, truncation, otherPage]
}

extension Damage: CustomStringConvertible {
    /// What happened, in a few words.
    public var description: String { kind.rawValue }
}

/// One damage that was done to a file.
public struct Injury: Sendable, Hashable, CustomStringConvertible {
    /// The kind of damage.
    public let damage: Damage
    /// The first byte that may have changed.
    public let offset: UInt64
    /// How many bytes may have changed; of a truncation, how many are gone.
    public let count: UInt64

    /// The kind and the place of the damage.
    public var description: String { "\(damage) at \(offset), \(count) bytes" }
}
