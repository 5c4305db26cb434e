import Exchanges
import HTTPCore
import TestDoubles
import Testing

@testable import Transforms

@Suite("Pieces of streams") struct StreamPiecesTests {
    private typealias Piece = StreamPieces.Piece

    private static func pieces(_ list: [(Int64, Int64)]) -> [Piece] {
        list.map { Piece(count: $0.0, milliseconds: $0.1) }
    }

    @Test("pieces are read as they were noted, in few bytes")
    func roundTrip() throws {
        let list = Self.pieces([(1, 0), (127, 0), (128, 1), (16_384, 128), (1 << 40, 128), (3, 1 << 41)])
        let size = list.reduce(0) { $0 + $1.count }
        let pieces = StreamPieces(list)
        #expect(pieces.all == list && pieces.count == 6 && pieces.milliseconds == 1 << 41)
        #expect(try #require(StreamPieces(encoded: pieces.encoded, of: size)) == pieces)
        let (short, long) = (Self.pieces([(60, 5), (70, 90)]), Self.pieces([(127, 127), (128, 255)]))
        #expect(StreamPieces(short).encoded == [60, 5, 70, 85] && StreamPieces(short).count == 2)
        #expect(StreamPieces(long).encoded == [127, 127, 0x80, 1, 0x80, 1] && StreamPieces(long).count == 2)
    }

    @Test("a list whose times go back keeps its order, and pieces without bytes are left out")
    func unusual() {
        let pieces = StreamPieces(Self.pieces([(1, 10), (0, 11), (2, 4), (3, 12)]))
        #expect(pieces.all == Self.pieces([(1, 10), (2, 10), (3, 12)]))
        #expect(StreamPieces().isEmpty && StreamPieces().count == 0 && StreamPieces().milliseconds == 0)
    }

    @Test(
        "what is not the pieces of the content is no list: too few or many bytes, a cut, a piece without bytes, long numbers",
        arguments: [
            ([3, 0], 4), ([3, 0, 2, 0], 4), ([4], 4), ([4, 0x80], 4), ([4, 0, 0x80], 4), ([0, 0, 4, 0], 4),
            ([UInt8](repeating: 0xFF, count: 9) + [1, 0], 4), ([UInt8](repeating: 0x80, count: 40), 4),
            ([0x84] + [UInt8](repeating: 0x80, count: 8) + [0, 0], 4),
        ] as [([UInt8], Int64)]
    )
    func hostile(encoded: [UInt8], size: Int64) {
        #expect(StreamPieces(encoded: encoded, of: size) == nil)
    }

    @Test("any content may have no pieces", arguments: [0, 5])
    func none(size: Int64) {
        #expect(StreamPieces(encoded: [], of: size) == StreamPieces())
    }

    @Test("a time that no clock has is the last one")
    func distant() throws {
        let last = [UInt8](repeating: 0xFF, count: 8) + [0x7F]
        let pieces = try #require(StreamPieces(encoded: [1] + last + [1] + last, of: 2))
        #expect(pieces.all.map(\.milliseconds) == [.max, .max])
    }

    @Test("a list does not grow without bound: neighbours become one piece, at the time of the later")
    func bound() {
        var list = PieceList()
        let count = PieceList.limit + 1
        for index in 0..<count { list.append(Piece(count: 1, milliseconds: Int64(index))) }
        #expect(PieceList.limit == 65_536 && list.pieces.count == 32_769)
        #expect(list.pieces.reduce(0) { $0 + $1.count } == Int64(count))
        #expect(list.pieces.first == Piece(count: 2, milliseconds: 1))
        #expect(list.pieces.last == Piece(count: 1, milliseconds: Int64(count - 1)))
    }

    @Test("a body notes its pieces with their times since the head, if it has a recorder")
    func recorded() {
        let timekeeper = ManualTimekeeper()
        func body(_ recorder: PieceRecorder?) -> GrowingBody {
            GrowingBody(
                limits: GrowingBody.Limits(),
                expected: nil,
                isShared: true,
                granted: 1000,
                makeWriter: nil,
                grant: { _ in },
                lostStore: {},
                recorder: recorder
            )
        }
        let (recorded, plain) = (body(PieceRecorder(timekeeper)), body(nil))
        for text in ["one", "three"] {
            timekeeper.advance(by: .milliseconds(250))
            for body in [recorded, plain] { body.append(ByteChunk(text)) }
        }
        timekeeper.advance(by: .seconds(3600))
        recorded.append(ByteChunk("x"))
        #expect(recorded.pieces.all == Self.pieces([(3, 250), (5, 500), (1, 3_600_500)]))
        #expect(plain.pieces.isEmpty)
    }
}
