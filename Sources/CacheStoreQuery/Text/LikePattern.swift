// SPDX-License-Identifier: MIT

/// A pattern with `?` for one character (Unicode scalar) and `*` for any number of them.
///
/// A backslash takes the special meaning from the character behind it.
package struct LikePattern: Sendable {
    private enum Element: Equatable {
        case scalar(Unicode.Scalar)
        case one
        case any
    }

    private let elements: [Element]
    private let options: TextOptions

    package init(_ pattern: String, options: TextOptions = []) {
        self.options = options
        var elements: [Element] = []
        var isEscaped = false
        for scalar in TextFolding.fold(pattern, options: options).unicodeScalars {
            if isEscaped {
                elements.append(.scalar(scalar))
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "?" {
                elements.append(.one)
            } else if scalar == "*" {
                if elements.last != .any { elements.append(.any) }
            } else {
                elements.append(.scalar(scalar))
            }
        }
        if isEscaped { elements.append(.scalar("\\")) }
        self.elements = elements
    }

    /// Whether the whole text fits the pattern. Takes at most text times pattern steps.
    package func matches(_ text: String) -> Bool {
        let scalars = Array(TextFolding.fold(text, options: options).unicodeScalars)
        var position = 0
        var element = 0
        // Where to go on when a guess about the last `*` turns out wrong.
        var retry: (position: Int, element: Int)?
        while position < scalars.count {
            if element < elements.count, elements[element] == .any {
                retry = (position, element)
                element += 1
            } else if element < elements.count,
                elements[element] == .one || elements[element] == .scalar(scalars[position])
            {
                position += 1
                element += 1
            } else if let last = retry {
                retry = (last.position + 1, last.element)
                position = last.position + 1
                element = last.element + 1
            } else {
                return false
            }
        }
        return elements[element...].allSatisfy { $0 == .any }
    }
}
