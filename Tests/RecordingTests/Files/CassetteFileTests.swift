import Cassettes
import Glibc
import Platform
import TestSupport
import Testing

@testable import Recording

/// Cassettes on disk.
struct CassetteFileTests {
    private static let cassette = Cassette(entries: [
        CassetteEntry(
            started: "2026-01-01T00:00:00Z",
            request: CassetteRequest(method: "GET", url: "http://a.example/"),
            response: CassetteResponse(status: 200, content: Array("s3cr3t-value".utf8))
        )
    ])

    @Test("a cassette is for its owner only, and replaces the file of its name")
    func write() throws {
        let home = TemporaryDirectory()
        let file = CassetteFile("\(home.path)/a.har")
        for _ in 0..<2 { try file.write(Self.cassette, without: SecretIndex(), creator: "1") }
        #expect(try file.read() == Self.cassette)
        var status = stat()
        #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(SmallFile.names(in: home.path) == ["a.har"])
    }

    @Test("with a secret in it a cassette is not kept, and the former one stays")
    func secret() throws {
        let home = TemporaryDirectory()
        let file = CassetteFile("\(home.path)/a.har")
        try file.write(Cassette(), without: SecretIndex(), creator: "1")
        var secrets = SecretIndex()
        secrets.insert(Array("s3cr3t-value".utf8), name: "Authorization")
        let error = #expect(throws: CassetteError.self) {
            try file.write(Self.cassette, without: secrets, creator: "1")
        }
        #expect(error?.place == "\(file.path): $.log.entries[0].response.content.text")
        #expect(error?.userMessage.contains("s3cr3t") == false)
        #expect(try file.read() == Cassette())
        #expect(SmallFile.names(in: home.path) == ["a.har"])
    }

    @Test("a missing cassette says how to make it; a file that is none is not replaced")
    func wrongFiles() throws {
        let home = TemporaryDirectory()
        let missing = #expect(throws: CassetteError.self) { try CassetteFile("\(home.path)/b.har").read() }
        #expect(missing?.userMessage.contains("`respite record \(home.path)/b.har -- COMMAND` makes it") == true)
        let notes = CassetteFile(try home.write("my notes\n", to: "notes.txt"))
        let error = #expect(throws: CassetteError.self) { try notes.checkReplaceable() }
        #expect(error?.userMessage.contains("a recording does not replace such a file") == true)
        try CassetteFile(try home.write("", to: "empty")).checkReplaceable()
        try CassetteFile("\(home.path)/new").checkReplaceable()
    }

    @Test("a cassette that cannot be written or read is reported with its path and the reason")
    func unusable() throws {
        let home = TemporaryDirectory()
        let directory = try #require(throws: CassetteError.self) { try CassetteFile(home.path).read() }
        #expect(directory.place == home.path && directory.userMessage == "cannot be read: Is a directory")
        let file = CassetteFile(home.path("none/a.har"))
        let unwritable = try #require(throws: CassetteError.self) {
            try file.write(Self.cassette, without: SecretIndex(), creator: "1")
        }
        #expect(unwritable.place == file.path)
        #expect(unwritable.userMessage == "cannot be written: No such file or directory")
    }

    @Test("a cassette that cannot get its name leaves nothing beside what has it; a cassette may be replaced")
    func unnamed() throws {
        let home = TemporaryDirectory()
        let file = CassetteFile(home.directory("a.har"))
        let error = try #require(throws: CassetteError.self) {
            try file.write(Self.cassette, without: SecretIndex(), creator: "1")
        }
        #expect(error.place == file.path && error.userMessage == "cannot be written: Is a directory")
        #expect(SmallFile.names(in: home.path) == ["a.har"])
        let other = CassetteFile(home.path("b.har"))
        try other.write(Self.cassette, without: SecretIndex(), creator: "1")
        try other.checkReplaceable()
    }
}
