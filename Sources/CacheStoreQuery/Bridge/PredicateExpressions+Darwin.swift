// SPDX-License-Identifier: MIT

#if !canImport(Darwin)
    public import Foundation

    // Foundation has these two expressions on Darwin only. The #Predicate macro accepts the methods
    // everywhere and calls the functions below by name.

    extension PredicateExpressions {
        /// A test for a text within another that looks past case and diacritics.
        public struct StringLocalizedStandardContains<
            Root: PredicateExpression, Other: PredicateExpression
        >: PredicateExpression
        where Root.Output: StringProtocol, Other.Output: StringProtocol {
            /// A Boolean value: whether the text was found.
            public typealias Output = Bool

            /// The text that is searched.
            public let root: Root
            /// The text that is searched for.
            public let other: Other

            /// Creates the test.
            public init(root: Root, other: Other) {
                self.root = root
                self.other = other
            }

            /// Evaluates the test as a store would.
            public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
                let options: TextOptions = [.caseInsensitive, .diacriticInsensitive]
                return TextBytes.contains(
                    TextFolding.fold(String(try root.evaluate(bindings)), options: options),
                    TextFolding.fold(String(try other.evaluate(bindings)), options: options))
            }
        }

        /// A comparison of two texts that looks past case.
        ///
        /// In a fetch its result can only be compared with a captured
        /// `ComparisonResult.orderedSame`.
        public struct StringCaseInsensitiveCompare<
            Root: PredicateExpression, Other: PredicateExpression
        >: PredicateExpression
        where Root.Output: StringProtocol, Other.Output: StringProtocol {
            /// The order of the two texts.
            public typealias Output = ComparisonResult

            /// The first text.
            public let root: Root
            /// The second text.
            public let other: Other

            /// Creates the comparison.
            public init(root: Root, other: Other) {
                self.root = root
                self.other = other
            }

            /// Evaluates the comparison as a store would.
            public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
                let order = TextBytes.compare(
                    TextFolding.fold(
                        String(try root.evaluate(bindings)), options: .caseInsensitive),
                    TextFolding.fold(
                        String(try other.evaluate(bindings)), options: .caseInsensitive))
                return order < 0
                    ? .orderedAscending : (order == 0 ? .orderedSame : .orderedDescending)
            }
        }

        // Disfavored, so that nothing becomes ambiguous when Foundation gets its own.

        /// Builds the expression for `localizedStandardContains(_:)` in a predicate.
        @_disfavoredOverload
        public static func build_localizedStandardContains<Root, Other>(
            _ root: Root, _ other: Other
        ) -> StringLocalizedStandardContains<Root, Other> {
            StringLocalizedStandardContains(root: root, other: other)
        }

        /// Builds the expression for `caseInsensitiveCompare(_:)` in a predicate.
        @_disfavoredOverload
        public static func build_caseInsensitiveCompare<Root, Other>(
            _ root: Root, _ other: Other
        ) -> StringCaseInsensitiveCompare<Root, Other> {
            StringCaseInsensitiveCompare(root: root, other: other)
        }
    }

    extension PredicateExpressions.StringLocalizedStandardContains: Codable
    where Root: Codable, Other: Codable {}
    extension PredicateExpressions.StringLocalizedStandardContains: Sendable
    where Root: Sendable, Other: Sendable {}
    extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
    where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

    extension PredicateExpressions.StringCaseInsensitiveCompare: Codable
    where Root: Codable, Other: Codable {}
    extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable
    where Root: Sendable, Other: Sendable {}
    extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression
    where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
#endif
