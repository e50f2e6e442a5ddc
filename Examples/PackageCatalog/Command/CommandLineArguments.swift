// SPDX-License-Identifier: MIT

/// The command line, read.
struct CommandLineArguments: Sendable, Equatable {
    /// What to do.
    var command: CatalogCommand
    /// The folder for the cache, where the user names one.
    var cacheDirectory: String?

    /// Reads the arguments that follow the program's name.
    ///
    /// Options may stand before and after the words they go with; `--` ends them.
    /// - Throws: `UsageError`.
    init(parsing arguments: [String]) throws {
        var scan = Scan()
        try scan.read(arguments)
        cacheDirectory = scan.cacheDirectory
        if scan.flags.contains("--help") {
            command = .help
        } else if scan.flags.contains("--version") {
            command = .version
        } else {
            command = try scan.makeCommand()
        }
    }
}

/// The words and options of a command line, before they make sense together.
private struct Scan {
    var words: [String] = []
    var flags: Set<String> = []
    var indexes: [String] = []
    var cacheDirectory: String?
    var pause: Int?

    private static let knownFlags: Set<String> = [
        "--all", "--reverse", "--recursive", "--help", "--version",
    ]

    mutating func read(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                words += rest
                return
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                words.append(argument)
                continue
            }
            let (name, attached) = Self.splitOption(argument)
            switch name {
            case "--cache-directory":
                guard cacheDirectory == nil else { throw UsageError("\(name) is given twice") }
                cacheDirectory = try Self.value(of: name, attached, &rest)
            case "--index":
                indexes.append(try Self.value(of: name, attached, &rest))
            case "--pause":
                let value = try Self.value(of: name, attached, &rest)
                guard let number = Int(value), (0...60_000).contains(number) else {
                    throw UsageError("\(name) takes a number of milliseconds up to 60000")
                }
                pause = number
            case "-h": flags.insert("--help")
            case _ where Self.knownFlags.contains(name):
                guard attached == nil else { throw UsageError("\(name) takes no value") }
                flags.insert(name)
            default: throw UsageError("there is no option \(name)")
            }
        }
    }

    /// Parts `--name=value`.
    private static func splitOption(_ argument: String) -> (name: String, value: String?) {
        guard argument.hasPrefix("--"), let sign = argument.firstIndex(of: "=") else {
            return (argument, nil)
        }
        return (String(argument[..<sign]), String(argument[argument.index(after: sign)...]))
    }

    private static func value(
        of name: String, _ attached: String?, _ rest: inout ArraySlice<String>
    ) throws -> String {
        guard let value = attached ?? rest.popFirst(), !value.isEmpty else {
            throw UsageError("\(name) needs a value")
        }
        return value
    }

    mutating func makeCommand() throws -> CatalogCommand {
        guard !words.isEmpty else { throw UsageError("there is no command") }
        let name = words.removeFirst()
        let command: CatalogCommand
        switch name {
        case "refresh":
            command = .refresh(all: take("--all"), indexes: indexes, pause: pause ?? 0)
            (indexes, pause) = ([], nil)
        case "search": command = .search(text: try takeWord("TEXT", of: name))
        case "show": command = .show(name: try takeWord("NAME", of: name))
        case "depends":
            command = .depends(
                name: try takeWord("NAME", of: name), reverse: take("--reverse"),
                recursive: take("--recursive"))
        case "stats": command = .stats
        case "status": command = .status
        case "help": command = .help
        default: throw UsageError("there is no command \(name)")
        }
        if let word = words.first { throw UsageError("\(name) does not take \(word)") }
        if let flag = flags.min() { throw UsageError("\(name) does not take \(flag)") }
        if !indexes.isEmpty { throw UsageError("\(name) does not take --index") }
        if pause != nil { throw UsageError("\(name) does not take --pause") }
        return command
    }

    private mutating func take(_ flag: String) -> Bool { flags.remove(flag) != nil }

    private mutating func takeWord(_ role: String, of command: String) throws -> String {
        guard !words.isEmpty, !words[0].isEmpty else {
            throw UsageError("\(command) needs \(role)")
        }
        return words.removeFirst()
    }
}
