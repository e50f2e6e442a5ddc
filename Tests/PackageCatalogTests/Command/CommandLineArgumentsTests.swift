// SPDX-License-Identifier: MIT

import Testing

@testable import PackageCatalog

@Suite struct CommandLineArgumentsTests {
    private static let commands: [(String, CatalogCommand)] = [
        ("refresh", .refresh(all: false, indexes: [], pause: 0)),
        ("refresh --all", .refresh(all: true, indexes: [], pause: 0)),
        ("--all refresh", .refresh(all: true, indexes: [], pause: 0)),
        ("refresh --index a --index=b", .refresh(all: false, indexes: ["a", "b"], pause: 0)),
        ("refresh --pause 250", .refresh(all: false, indexes: [], pause: 250)),
        ("search lantern", .search(text: "lantern")),
        ("search -- --all", .search(text: "--all")),
        ("search -", .search(text: "-")),
        ("show libc6", .show(name: "libc6")),
        ("depends a", .depends(name: "a", reverse: false, recursive: false)),
        ("depends --reverse a", .depends(name: "a", reverse: true, recursive: false)),
        ("depends a --recursive --reverse", .depends(name: "a", reverse: true, recursive: true)),
        ("stats", .stats),
        ("status", .status),
        ("help", .help),
        ("--help", .help),
        ("-h", .help),
        ("show --help", .help),
        ("--version", .version),
        ("refresh --help --version", .help),
    ]

    private func parse(_ line: String) throws -> CommandLineArguments {
        try CommandLineArguments(parsing: line.split(separator: " ").map(String.init))
    }

    @Test(arguments: commands)
    func `a command is understood`(line: String, command: CatalogCommand) throws {
        let arguments = try parse(line)
        #expect(arguments.command == command)
        #expect(arguments.cacheDirectory == nil)
    }

    @Test(arguments: [
        "stats --cache-directory /c", "--cache-directory /c stats", "stats --cache-directory=/c",
    ])
    func `the cache's folder may be named before and after the command`(line: String) throws {
        let arguments = try parse(line)
        #expect(arguments.command == .stats)
        #expect(arguments.cacheDirectory == "/c")
    }

    @Test func `a value may hold an equals sign and look like an option`() throws {
        #expect(try parse("stats --cache-directory=a=b").cacheDirectory == "a=b")
        #expect(try parse("stats --cache-directory --all").cacheDirectory == "--all")
    }

    @Test(arguments: [
        ("", "there is no command"),
        ("fetch", "there is no command fetch"),
        ("search", "search needs TEXT"),
        ("show", "show needs NAME"),
        ("show a b", "show does not take b"),
        ("stats --all", "stats does not take --all"),
        ("search a --reverse", "search does not take --reverse"),
        ("stats --index a", "stats does not take --index"),
        ("stats --pause 5", "stats does not take --pause"),
        ("refresh --pause soon", "--pause takes a number of milliseconds up to 60000"),
        ("refresh --pause=-1", "--pause takes a number of milliseconds up to 60000"),
        ("stats --loud", "there is no option --loud"),
        ("stats -x", "there is no option -x"),
        ("stats --cache-directory", "--cache-directory needs a value"),
        ("stats --cache-directory=", "--cache-directory needs a value"),
        ("stats --cache-directory a --cache-directory b", "--cache-directory is given twice"),
        ("refresh --all=yes", "--all takes no value"),
        ("refresh -- --all", "refresh does not take --all"),
    ])
    func `a line that makes no sense is refused with the reason`(line: String, reason: String) {
        let error = #expect(throws: UsageError.self) { try parse(line) }
        #expect(error?.description == reason)
    }

    @Test func `an empty word is no name`() {
        #expect(throws: UsageError.self) { try CommandLineArguments(parsing: ["show", ""]) }
    }
}
