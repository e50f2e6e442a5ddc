// SPDX-License-Identifier: MIT

import Foundation

/// The stored form of a compressed or external value: a blob whose first byte says what follows.
///
/// - 0: the bytes themselves.
/// - 1: the original length, 8 bytes, then a zlib stream.
/// - 2: the name of a file, 16 bytes; the original length, 8 bytes; the CRC-32 of the file, 4 bytes.
/// - 3: as 2, and the file is a zlib stream.
///
/// Numbers have their lowest byte first. Text that is neither compressed nor external is stored as
/// text.
enum EncodedValue {
    case raw(Data)
    case deflated(Data, originalLength: UInt64)
    case external(ExternalReference)

    /// How many bytes the reference to a file has, its first one included.
    static let externalLength = 29

    struct ExternalReference: Hashable {
        var name: UUID
        var originalLength: UInt64
        var checksum: UInt32
        var isDeflated: Bool
    }

    private static func append(_ number: some FixedWidthInteger, to data: inout Data) {
        withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
    }

    var encoded: Data {
        var data = Data()
        switch self {
        case .raw(let bytes):
            data.append(0)
            data.append(bytes)
        case .deflated(let bytes, let length):
            data.append(1)
            Self.append(length, to: &data)
            data.append(bytes)
        case .external(let reference):
            data.append(reference.isDeflated ? 3 : 2)
            withUnsafeBytes(of: reference.name.uuid) { data.append(contentsOf: $0) }
            Self.append(reference.originalLength, to: &data)
            Self.append(reference.checksum, to: &data)
        }
        return data
    }

    /// Reads the stored form; `nil` for bytes that have none.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let kind = bytes.first else { return nil }
        let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        switch kind {
        case 0: self = .raw(Data(rest))
        case 1:
            guard rest.count >= 8 else { return nil }
            let length = UInt64(littleEndian: rest.loadUnaligned(as: UInt64.self))
            self = .deflated(Data(rest.dropFirst(8)), originalLength: length)
        case 2, 3:
            guard rest.count == 28 else { return nil }
            self = .external(
                ExternalReference(
                    name: UUID(uuid: rest.loadUnaligned(as: uuid_t.self)),
                    originalLength: UInt64(
                        littleEndian: rest.loadUnaligned(fromByteOffset: 16, as: UInt64.self)),
                    checksum: UInt32(
                        littleEndian: rest.loadUnaligned(fromByteOffset: 24, as: UInt32.self)),
                    isDeflated: kind == 3))
        default: return nil
        }
    }
}
