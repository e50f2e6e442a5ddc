// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The manual page and the completions say what the program does.
@Suite struct ManualTests {
    private let directory: Directory

    init() throws { directory = try Directory() }

    private func resource(_ name: String) throws -> String {
        let package = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../..").standardizedFileURL
        let text = try String(
            contentsOf: package.appending(path: "Resources/" + name), encoding: .utf8)
        return text.replacing("\\-", with: "-")
    }

    /// The words of a text that options and commands are.
    private func words(_ text: String) -> Set<String> {
        Set(text.split { !($0.isLetter || $0.isNumber || $0 == "-") }.map(String.init))
    }

    @Test func `every command and option of the help is in the manual and the completions`() throws
    {
        let help = try Command.run("--help", in: directory).output
        let options = words(help).filter { $0.hasPrefix("--") && $0.count > 2 }
        let commands = help.split(separator: "\n")
            .drop { $0 != "Commands:" }.prefix { $0 != "Options:" }
            .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(options.count >= 4 && commands.count >= 3)
        for name in ["cachestore.1", "completions/cachestore.bash", "completions/_cachestore"] {
            let known = words(try resource(name))
            for word in options.union(commands) {
                #expect(known.contains(word), "\(word), \(name)")
            }
        }
    }

    @Test func `every key of the JSON is in the manual`() throws {
        try directory.makeStore(notes: 3)
        try directory.makeDatabase()
        let manual = words(try resource("cachestore.1"))
        for arguments in [
            ["info", "notes.sqlite"], ["info", "other.db"], ["check", "notes.sqlite"],
            ["heal", "notes.sqlite"], ["check", "."],
            ["salvage", "notes.sqlite", "--output", "new.sqlite"],
        ] {
            let json = try Command.run(arguments + ["--json"], in: directory).json()
            for key in json.keys { #expect(manual.contains(key), "\(key) of \(arguments)") }
        }
    }
}
