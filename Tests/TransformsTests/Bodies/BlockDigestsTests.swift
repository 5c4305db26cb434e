import HTTPCore
import Testing

@testable import Transforms

@Suite("Digests of blocks") struct BlockDigestsTests {
    /// 40 bytes: four blocks of ten, no two alike.
    private static let content = (0..<40).map { UInt8($0) }

    private func digests(of bytes: [UInt8], size: Int64 = 10) -> BlockDigests {
        var digests = BlockDigests(size: size)
        digests.update(ByteChunk(bytes))
        return digests
    }

    @Test("blocks end at the same bytes, however the content is cut into chunks", arguments: [1, 3, 10, 11, 40])
    func chunks(size: Int) {
        var digests = BlockDigests(size: 10)
        var index = 0
        while index < 40 {
            digests.update(ByteChunk(Array(Self.content[index..<min(40, index + size)])))
            index += size
        }
        #expect(digests.complete == self.digests(of: Self.content).complete)
        #expect(digests.complete.count == 4 && Set(digests.complete).count == 4)
    }

    @Test("there is a comparison only up to a block that is complete", arguments: [(0, true), (29, true), (30, false)])
    func completeBlocks(offset: Int64, exists: Bool) {
        #expect((digests(of: Array(Self.content[..<35])).comparison(upTo: offset) != nil) == exists)
    }

    @Test("a reader gets the bytes behind its own once their block is the same", arguments: [0, 9, 10, 25, 29])
    func same(offset: Int64) throws {
        let whole = digests(of: Self.content)
        for size in [1, 7, 10, 40] {
            var comparison = try #require(whole.comparison(upTo: offset))
            var result: [UInt8] = []
            var index = 0
            while index < 40 {
                let end = min(40, index + size)
                let chunk = ByteChunk(Array(Self.content[index..<end]))
                guard let chunks = comparison.compare(chunk) else { return #expect(Bool(false), "it is the same") }
                #expect(chunks.allSatisfy { !$0.isEmpty })
                result += chunks.flatMap(\.bytes)
                index = end
                // Nothing is returned before the block that contains the reader's offset is compared.
                if Int64(end) < (offset / 10 + 1) * 10 { #expect(result.isEmpty && !comparison.isDone) }
                if comparison.isDone { break }
            }
            #expect(comparison.isDone)
            #expect(result == Array(Self.content[Int(offset)..<index]))
            // What comes later is not compared.
            #expect(comparison.compare(ByteChunk("more")) == [ByteChunk("more")])
        }
    }

    @Test("a block has at least one byte", arguments: [-1, 0, 1])
    func smallestBlock(size: Int64) {
        #expect(digests(of: [1, 2, 3], size: size).complete.count == 3)
    }

    @Test("another content is noticed in the block where it differs", arguments: [0, 9, 10, 29])
    func different(place: Int) throws {
        var comparison = try #require(digests(of: Self.content).comparison(upTo: 25))
        var other = Self.content
        other[place] ^= 1
        #expect(comparison.compare(ByteChunk(other)) == nil)
    }

    @Test("content that differs behind the reader's block only is not noticed")
    func differentBehind() throws {
        var comparison = try #require(digests(of: Self.content).comparison(upTo: 25))
        var other = Self.content
        other[30] ^= 1
        #expect(comparison.compare(ByteChunk(other))?.reduce(0) { $0 + $1.count } == 15)
    }
}
