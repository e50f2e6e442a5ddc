// SPDX-License-Identifier: MIT

/// One paragraph of a control file: the fields of one package.
struct ControlStanza: Sendable, Equatable {
    private var values: [String?]

    /// The number of lines of the paragraph that were neither a field nor a part of one.
    var malformedLineCount = 0

    init() { values = Array(repeating: nil, count: ControlField.allCases.count) }

    /// The text of a field: without the spaces around it, its lines parted by line feeds.
    ///
    /// The first of two fields with the same name counts.
    subscript(field: ControlField) -> String? {
        get { values[field.rawValue] }
        set { values[field.rawValue] = newValue }
    }

    /// Whether no field has been read.
    var isEmpty: Bool { values.allSatisfy { $0 == nil } }

    /// The number in a field, or `nil` where there is none or it does not fit.
    func integer(_ field: ControlField) -> Int64? { self[field].flatMap { Int64($0) } }
}
