import Cassettes
import Glibc
import JSON
import Platform
import TestSupport
import Testing

@testable import Recording

/// Archives that are written entry by entry.
struct ArchiveOutputTests {
    private let home = TemporaryDirectory()
    private var path: String { "\(home.path)/a.har" }

    private func size(_ name: String) -> Int {
        var status = stat()
        return stat("\(home.path)/\(name)", &status) == 0 ? Int(status.st_size) : 0
    }

    @Test("a long archive is written while it grows, and gets its name at the end, with all entries in it")
    func growing() throws {
        let output = try ArchiveOutput(path, creator: "1")
        for _ in 0..<5 { try output.append(.text(String(repeating: "x", count: 300_000))) }
        let names = SmallFile.names(in: home.path)
        #expect(names.count == 1 && names.allSatisfy { $0.hasSuffix(".part") && size($0) > 1 << 20 })
        try output.finish()
        #expect(SmallFile.names(in: home.path) == ["a.har"])
        let document = try JSONReader.parse(try SmallFile.read(path, limit: 4 << 20), sizeLimit: 4 << 20)
        #expect(document["log"]?["entries"]?.elements.count == 5 && output.count == 5)
    }

    @Test("entries are collected until they are a mebibyte, then written")
    func collecting() throws {
        let output = try ArchiveOutput(path, creator: "1")
        let part = try #require(SmallFile.names(in: home.path).first)
        for _ in 0..<3 { try output.append(.text(String(repeating: "x", count: 300_000))) }
        #expect(size(part) == 0)
        try output.append(.text(String(repeating: "x", count: 300_000)))
        #expect(size(part) > 1 << 20)
        let written = size(part)
        try output.append(.text("x"))
        #expect(size(part) == written)
        output.discard()
    }

    @Test("an archive that cannot be written or read is reported with its path and the reason")
    func unusable() throws {
        let path = home.path("none/a.har")
        let unwritable = try #require(throws: CassetteError.self) { _ = try ArchiveOutput(path, creator: "1") }
        #expect(unwritable.place == path && unwritable.userMessage == "cannot be written: No such file or directory")
        let missing = try #require(throws: CassetteError.self) { _ = try ArchiveInput(path) }
        #expect(missing.place == path && missing.userMessage == "cannot be read: No such file or directory")
        let notes = try home.write("my notes", to: "notes")
        let other = try #require(throws: CassetteError.self) { _ = try ArchiveInput(notes) }
        #expect(other.place.hasPrefix("\(notes): "))
    }

    @Test("an archive that is given up leaves the former one")
    func discarded() throws {
        try SmallFile.writePrivate(Array("former".utf8), to: path)
        let output = try ArchiveOutput(path, creator: "1")
        try output.append(.text("x"))
        output.discard()
        #expect(SmallFile.names(in: home.path) == ["a.har"] && size("a.har") == 6)
    }

    @Test("an archive that cannot get its name says so, and leaves nothing once it is given up")
    func unnamed() throws {
        _ = home.directory("a.har")
        let output = try ArchiveOutput(path, creator: "1")
        try output.append(.text("x"))
        let error = try #require(throws: CassetteError.self) { try output.finish() }
        #expect(error.place == path && error.userMessage == "cannot be written: Is a directory")
        output.discard()
        #expect(SmallFile.names(in: home.path) == ["a.har"])
    }

    @Test("a new archive is for its owner alone")
    func mode() throws {
        let output = try ArchiveOutput(path, creator: "1")
        try output.finish()
        #expect(try FileStatus(of: path).permissions == 0o600)
    }
}
