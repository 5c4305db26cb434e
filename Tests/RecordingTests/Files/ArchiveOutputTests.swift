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

    @Test("an archive that is given up leaves the former one")
    func discarded() throws {
        try SmallFile.writePrivate(Array("former".utf8), to: path)
        let output = try ArchiveOutput(path, creator: "1")
        try output.append(.text("x"))
        output.discard()
        #expect(SmallFile.names(in: home.path) == ["a.har"] && size("a.har") == 6)
    }
}
