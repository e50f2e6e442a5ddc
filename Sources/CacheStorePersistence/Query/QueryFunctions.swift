// SPDX-License-Identifier: MIT

import CacheStoreModel
import CacheStoreQuery
import CacheStoreSQLite
import Foundation
import Synchronization

/// The SQL functions and collations behind what SQLite cannot do itself.
///
/// Each calls the code that evaluates queries in memory, so that both give the same answers.
enum QueryFunctions {
    static let decimalCollation = "cachestore_decimal"
    static let localizedCollation = "cachestore_localized"
    static let localizedStandardCollation = "cachestore_localized_standard"

    static func register(on connection: Connection) throws {
        try registerText(on: connection)
        try registerPatterns(on: connection)
        try registerNumbers(on: connection)
        try connection.registerCollation(decimalCollation) { first, second in
            sign(value(text: first).queryOrder(to: value(text: second)))
        }
        for (name, comparison) in [
            (localizedCollation, SortKey.Comparison.localized),
            (localizedStandardCollation, .localizedStandard),
        ] {
            try connection.registerCollation(name) { first, second in
                let order = comparison.order(
                    String(decoding: first, as: UTF8.self),
                    String(decoding: second, as: UTF8.self))
                return sign(order)
            }
        }
    }

    private static func sign(_ order: Int?) -> Int32 { Int32((order ?? 0).signum()) }

    // MARK: Text

    private static func registerText(on connection: Connection) throws {
        try connection.registerFunction("cachestore_fold", argumentCount: 2) { arguments in
            guard let text = arguments.text(at: 0) else { return .null }
            return .text(TextFolding.fold(text, options: options(arguments.int64(at: 1))))
        }
        // SQLite's own length() ends at a NUL (https://sqlite.org/nulinstr.html).
        try connection.registerFunction("cachestore_length", argumentCount: 1) { arguments in
            arguments.withUTF8(at: 0) { bytes in
                guard let bytes else { return .null }
                return .integer(Int64(bytes.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }))
            }
        }
        try connection.registerFunction("cachestore_has_suffix", argumentCount: 2) { arguments in
            arguments.withUTF8(at: 0) { text in
                arguments.withUTF8(at: 1) { suffix in
                    guard let text, let suffix else { return .null }
                    let isSuffix =
                        text.count >= suffix.count
                        && text.suffix(suffix.count).elementsEqual(suffix)
                    return .integer(isSuffix ? 1 : 0)
                }
            }
        }
    }

    private static func options(_ bits: Int64) -> TextOptions {
        TextOptions(rawValue: UInt8(truncatingIfNeeded: bits))
    }

    // MARK: Patterns

    private struct PatternKey: Hashable {
        let pattern: String
        let options: TextOptions
    }

    /// Compiled patterns of one connection; a query has one, rarely two.
    private final class PatternCache<Pattern> {
        private var patterns: [PatternKey: Pattern?] = [:]

        func pattern(_ key: PatternKey, compile: (PatternKey) -> Pattern?) -> Pattern? {
            if let pattern = patterns[key] { return pattern }
            // A pattern that comes from a column may be another one in each row.
            if patterns.count >= 16 { patterns.removeAll() }
            let pattern = compile(key)
            patterns[key] = .some(pattern)
            return pattern
        }
    }

    private static func registerPatterns(on connection: Connection) throws {
        // Used by the thread that has the connection, like everything of the connection.
        let likes = PatternCache<LikePattern>()
        try connection.registerFunction("cachestore_like", argumentCount: 3) { arguments in
            guard let text = arguments.text(at: 0), let pattern = arguments.text(at: 1) else {
                return .null
            }
            let key = PatternKey(pattern: pattern, options: options(arguments.int64(at: 2)))
            let compiled = likes.pattern(key) { LikePattern($0.pattern, options: $0.options) }
            return compiled.map { .integer($0.matches(text) ? 1 : 0) } ?? .null
        }
        let expressions = PatternCache<RegularExpression>()
        try connection.registerFunction("cachestore_matches", argumentCount: 3) { arguments in
            guard let text = arguments.text(at: 0), let pattern = arguments.text(at: 1) else {
                return .null
            }
            let key = PatternKey(pattern: pattern, options: options(arguments.int64(at: 2)))
            let compiled = expressions.pattern(key) {
                try? RegularExpression($0.pattern, options: $0.options)
            }
            return compiled.map { .integer($0.matches(text) ? 1 : 0) } ?? .null
        }
    }

    // MARK: Numbers

    /// The operators by the number that stands for them in SQL.
    static let operators: [ArithmeticOperator] = [.add, .subtract, .multiply, .divide, .remainder]

    private static func registerNumbers(on connection: Connection) throws {
        // SQLite's own operators turn an overflowing integer into a floating-point number.
        try connection.registerFunction("cachestore_arithmetic", argumentCount: 3) { arguments in
            let index = Int(clamping: arguments.int64(at: 0))
            guard operators.indices.contains(index) else { return .null }
            return SQLBinding(
                PropertyValue.calculate(
                    operators[index], number(arguments, 1), number(arguments, 2)))
        }
        try connection.registerFunction("cachestore_negative", argumentCount: 1) { arguments in
            SQLBinding(number(arguments, 0).negated)
        }
        // For decimals, which are stored as text.
        try connection.registerFunction("cachestore_order", argumentCount: 2) { arguments in
            let order = number(arguments, 0).queryOrder(to: number(arguments, 1))
            return order.map { .integer(Int64($0.signum())) } ?? .null
        }
    }

    private static func number(_ arguments: FunctionArguments, _ index: Int) -> PropertyValue {
        switch arguments.type(at: index) {
        case .integer: .integer(arguments.int64(at: index))
        case .real: .double(arguments.double(at: index))
        case .text: arguments.withUTF8(at: index) { $0.map { value(text: $0) } ?? .null }
        case .blob, .null: .null
        }
    }

    private static func value(text bytes: UnsafeRawBufferPointer) -> PropertyValue {
        let text = String(decoding: bytes, as: UTF8.self)
        return Decimal(string: text, locale: nil).map { .decimal($0) } ?? .null
    }
}

extension SQLBinding {
    /// The stored form of a value. References are bound by their key alone.
    init(_ value: PropertyValue) {
        switch value {
        case .null: self = .null
        case .integer(let integer): self = .integer(integer)
        case .boolean(let boolean): self = .integer(boolean ? 1 : 0)
        case .double(let double): self = double.isNaN ? .null : .real(double)
        case .string(let string): self = .text(string)
        case .date(let date): self = .real(date.timeIntervalSince1970)
        case .data(let data): self = .blob(data)
        case .decimal(let decimal): self = .text(decimal.description)
        case .uuid(let uuid): self = .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        case .url(let url): self = .text(url.absoluteString)
        case .object(let id): self = .integer(id.key)
        }
    }
}
