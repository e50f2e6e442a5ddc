// SPDX-License-Identifier: MIT

/// The command line, read.
struct CommandArguments {
    enum Action {
        case help
        case version
        case run(any FileCommand, file: String)
    }

    let action: Action
    let writesJSON: Bool

    /// Reads the arguments behind the program's name. Options may stand anywhere; `--` ends them.
    ///
    /// - Throws: ``UsageError``.
    init(parsing arguments: [String]) throws(UsageError) {
        var words: [String] = []
        var flags: Set<String> = []
        var output: String?
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                words += rest
                break
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                words.append(argument)
                continue
            }
            let parts = argument.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            var value: String? = parts.count == 2 ? String(parts[1]) : nil
            switch name {
            case "-o", "--output":
                if value == nil { value = rest.popFirst() }
                guard let value, !value.isEmpty else {
                    throw UsageError("the option \(name) needs the name of a file")
                }
                guard output == nil else { throw UsageError("the option \(name) is given twice") }
                output = value
            case "--json", "--deep", "--help", "--version", "-h", "-V":
                guard value == nil else { throw UsageError("the option \(name) takes no value") }
                flags.insert(name == "-h" ? "--help" : name == "-V" ? "--version" : name)
            default: throw UsageError("there is no option \(name)")
            }
        }
        writesJSON = flags.remove("--json") != nil
        if flags.contains("--help") {
            action = .help
        } else if flags.contains("--version") {
            action = .version
        } else {
            action = try Self.action(words, flags: flags, output: output)
        }
    }

    private static func action(
        _ words: [String], flags: Set<String>, output: String?
    ) throws(UsageError) -> Action {
        guard let name = words.first else { throw UsageError("there is no command") }
        guard words.count > 1 else { throw UsageError("the command \(name) needs a file") }
        guard words.count == 2, !words[1].isEmpty else {
            throw UsageError("the command \(name) takes one file")
        }
        var flags = flags
        var output = output
        let command: any FileCommand
        switch name {
        case "info": command = InfoCommand()
        case "check": command = CheckCommand(isDeep: flags.remove("--deep") != nil)
        case "heal": command = HealCommand()
        case "salvage":
            guard let place = output else {
                throw UsageError("salvage needs --output, the name of the new file")
            }
            output = nil
            command = SalvageCommand(output: place)
        default: throw UsageError("there is no command \(name)")
        }
        if let flag = flags.first { throw UsageError("\(name) has no option \(flag)") }
        if output != nil { throw UsageError("\(name) has no option --output") }
        return .run(command, file: words[1])
    }
}

/// What is wrong with a command line.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
