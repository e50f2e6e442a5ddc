// SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct CommandArgumentsTests {
    private let directory: Directory

    init() throws { directory = try Directory() }

    @Test(arguments: [
        [], ["frobnicate", "x"], ["check"], ["check", "a", "b"], ["check", "--dep", "a"],
        ["info", "--deep", "a"], ["check", "--json=yes", "a"], ["check", "-x", "a"], ["check", ""],
        ["heal", "--output", "b", "a"], ["check", "--output"], ["a.sqlite"],
    ])
    func `a command line that makes no sense ends with 2 and says why`(
        arguments: [String]
    ) throws {
        let result = try Command.run(arguments, in: directory)
        #expect(result.code == 2)
        #expect(result.output == "")
        #expect(result.errors.hasPrefix("cachestore: "))
        #expect(result.errors.hasSuffix("try: cachestore --help\n"))
    }

    @Test(arguments: ["--help", "-h"])
    func `help goes to the standard output`(option: String) throws {
        let result = try Command.run(option, in: directory)
        #expect(result.code == 0 && result.errors == "")
        for word in ["info", "check", "--deep", "heal", "--json", "Exit status"] {
            #expect(result.output.contains(word))
        }
        #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test func `the version is one line`() throws {
        let result = try Command.run("--version", in: directory)
        #expect(result.code == 0)
        #expect(result.output.hasPrefix("cachestore ") && result.output.hasSuffix("\n"))
        #expect(result.output.split(separator: "\n").count == 1)
    }

    @Test func `options end with two dashes, and may stand behind the file`() throws {
        try directory.makeDatabase("--deep")
        #expect(try Command.run("check", "--json", "--", "--deep", in: directory).code == 0)
        try directory.makeDatabase("plain")
        let result = try Command.run("check", "plain", "--deep", "--json", in: directory)
        #expect(result.code == 0)
        #expect(try result.json()["deep"] as? Bool == true)
    }

    @Test func `a reader that goes away ends the program by SIGPIPE`() throws {
        try directory.makeDatabase()
        let result = try Command.run("check", "other.db", in: directory, output: .closedPipe)
        #expect(result.code == -SIGPIPE)
    }

    @Test func `a result that cannot be written is no success`() throws {
        try directory.makeDatabase()
        let result = try Command.run(
            "check", "other.db", in: directory, output: .device("/dev/full"))
        #expect(result.code == 3)
        #expect(result.errors.contains("cannot be written"))
    }
}
