// SPDX-License-Identifier: MIT

import CacheStoreProcess
import Testing

@Suite struct PathComponentTests {
    @Test(arguments: ["org.example.Photos", "a", "Überblick", "with space", "a..b", "-x", "日本"])
    func `an ordinary name is accepted`(name: String) throws {
        #expect(try PathComponent(validating: name).string == name)
    }

    @Test(arguments: [
        "", ".", "..", ".hidden", "a/b", "/", "../x", "a\u{0}b", "a\nb", "a\u{7F}", "\u{85}",
    ])
    func `a name that could leave its place is refused`(name: String) {
        #expect { try PathComponent(validating: name) } throws: { error in
            DirectoryError.Code.invalidPathComponent ~= error
        }
    }

    @Test func `the limit of 255 counts bytes, not characters`() throws {
        let widest = String(repeating: "ü", count: 127) + "x"
        #expect(try PathComponent(validating: widest).string.utf8.count == 255)
        #expect(throws: DirectoryError.self) { try PathComponent(validating: widest + "x") }
    }

    @Test func `room can be kept free for a suffix`() throws {
        let name = String(repeating: "x", count: 250)
        #expect(try PathComponent(validating: name, reservedByteCount: 5).string == name)
        #expect(throws: DirectoryError.self) {
            try PathComponent(validating: name, reservedByteCount: 6)
        }
    }

    @Test func `the refused name is not repeated in the message`() throws {
        let error = #expect(throws: DirectoryError.self) {
            try PathComponent(validating: "secret/login", as: "namespace")
        }
        let description = try #require(error).description
        #expect(!description.contains("secret"))
        #expect(description.contains("namespace contains a slash"))
    }
}
