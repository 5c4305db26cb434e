import Testing

@testable import Transforms

@Suite("Digests of content") struct ContentDigestTests {
    private func hex(_ pieces: [[UInt8]]) -> String {
        var digest = ContentDigest()
        for piece in pieces { digest.update(piece.span) }
        return digest.hex
    }

    @Test("the digest does not depend on how the content is cut", arguments: [1, 2, 7, 8, 9, 64])
    func pieces(size: Int) {
        let bytes = (0..<100).map { UInt8($0) }
        let pieces = stride(from: 0, to: 100, by: size).map { Array(bytes[$0..<min(100, $0 + size)]) }
        #expect(hex(pieces) == hex([bytes]))
    }

    @Test("each byte, its place and the length count")
    func sensitive() {
        var seen: Set<String> = [hex([[]])]
        for count in 1...24 { #expect(seen.insert(hex([[UInt8](repeating: 0, count: count)])).inserted) }
        for place in 0..<24 {
            var bytes = [UInt8](repeating: 0, count: 24)
            bytes[place] = 1
            #expect(seen.insert(hex([bytes])).inserted)
        }
    }

    @Test("it is the same in each process: entity tags in clients' caches contain it")
    func stable() {
        #expect(hex([Array("Respite".utf8)]) == "8010c1971f9a1e96eb89e6f7dd18931c")
        #expect(hex([Array("Respite keeps what was asked for.".utf8)]) == "84ebe793df65c9ee29006ea9f86de8e4")
        #expect(hex([Array("24".utf8)]) == "061011657142850907bfb89c6c29df2b")
        #expect(hex([[]]) == "fb23ff3a0313ca4ba7bfba9c01756a45")
        #expect(StableDigest.hex("Respite") == "7add5cd7dc842383")
        #expect(StableDigest.hex("8") == "0448f77e1e71efb6")
    }
}
