import TestSupport
import Testing

@testable import TransportSecurity

@Suite("Digests of files") struct FileDigestTests {
    private let directory = TemporaryDirectory()

    private static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var hash = ContentHash()
        hash.append(bytes[...])
        return hash.finish()
    }

    @Test(
        "each byte of a file counts, also where it is read in parts and the last one is a single byte",
        arguments: [0, 1, 2, 16_383, 16_384, 16_385, 32_769]
    )
    func sizes(count: Int) throws {
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let file = try directory.write(content, to: "file")
        let expected = Self.digest(content)
        #expect(FileDigest.digest(of: file) == expected && expected.count == 32)
    }

    @Test("of several files the order counts, and where one ends and the next one begins")
    func several() throws {
        let files = try ["ab", "c", "a", "bc"].map { try directory.write($0, to: "file-\($0)") }
        let digests = files.map { FileDigest.digest(of: $0) }
        #expect(FileDigest.digest(of: [files[0], files[1]]) == Self.digest(digests[0] + digests[1]))
        #expect(FileDigest.digest(of: [files[1], files[0]]) == Self.digest(digests[1] + digests[0]))
        #expect(FileDigest.digest(of: [files[0], files[1]]) != FileDigest.digest(of: [files[2], files[3]]))
    }

    @Test("a file that is not there has no digest, and leaves no error for the next call")
    func absent() {
        let nothing = ErrorQueue.takeDescription()
        #expect(FileDigest.digest(of: directory.path("none")).isEmpty)
        #expect(ErrorQueue.takeDescription() == nothing)
    }
}
