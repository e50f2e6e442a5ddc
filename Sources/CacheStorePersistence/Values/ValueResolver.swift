// SPDX-License-Identifier: MIT

import CacheStoreHealing
import CacheStoreModel
import Foundation
import Synchronization

/// Inflates compressed values and reads external ones, when an object is asked for them.
final class ValueResolver: EncodedValueResolver {
    /// `nil` for a store that has no directory of its own.
    let files: ExternalFiles?
    private let failureHandler = Mutex<(@Sendable (any Error) -> Void)?>(nil)

    /// Sets who is told of values that could not be read where nothing can be thrown.
    func setFailureHandler(_ handler: (@Sendable (any Error) -> Void)?) {
        failureHandler.withLock { $0 = handler }
    }

    func couldNotResolve(_ error: any Error) {
        let handler = failureHandler.withLock { $0 }
        handler?(error)
    }

    init(files: ExternalFiles?) { self.files = files }

    func value(
        ofEncoded bytes: UnsafeRawBufferPointer, type: AttributeType
    ) throws -> PropertyValue {
        guard let encoded = EncodedValue(bytes) else { throw Self.damage }
        let data: Data? =
            switch encoded {
            case .raw(let data): data
            case .deflated(let stream, let length):
                Deflate.decompress(stream, originalLength: length)
            case .external(let reference): try read(reference)
            }
        guard let data else { throw Self.damage }
        switch type.kind {
        case .string: return .string(String(decoding: data, as: UTF8.self))
        case .binaryData, .transformable: return .data(data)
        default: throw Self.damage
        }
    }

    private func read(_ reference: EncodedValue.ExternalReference) throws -> Data? {
        guard let files else { throw Self.damage }
        let bytes = try files.read(reference)
        return reference.isDeflated
            ? Deflate.decompress(bytes, originalLength: reference.originalLength) : bytes
    }

    private static let damage = PersistentStoreError(
        .damaged, "A compressed or external value cannot be decoded.")
}
