import Exchanges
import HTTPCore
import Testing
import Transforms

private final class ContentFile: BodyFile {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int64 { Int64(bytes.count) }
    func read(_ count: Int, at offset: Int64) -> [UInt8]? { Array(bytes.dropFirst(Int(offset)).prefix(count)) }
    func piece(_ range: Range<Int64>) -> BodyPiece {
        .chunks([ByteChunk(read(range.count, at: range.lowerBound) ?? [])])
    }
    func verify(_ range: Range<Int64>, _ completion: @escaping @Sendable (Bool) -> Void) { completion(true) }
    func isVerified(_ range: Range<Int64>) -> Bool { true }
    func fileCouldNotBeRead() {}
}

@Suite("Content of several parts")
struct JoinedBodyTests {
    private typealias Part = JoinedBody.Part

    private static func bytes(_ text: String) -> RecordBody { .bytes(Array(text.utf8)) }
    private static func file(_ text: String) -> RecordBody { .file(ContentFile(Array(text.utf8))) }
    private static func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    /// Positions 0 to 3 in memory, 5 to 8 in a file, 8 and 9 in memory.
    private let body = JoinedBody([
        Part(0..<3, bytes("012")), Part(5..<8, file("567")), Part(8..<10, bytes("89")),
    ])

    @Test("it tells how much of it is in memory, and how many files it keeps open")
    func size() {
        #expect(body.count == 8)
        #expect(body.memoryCount == 5)
        #expect(body.fileCount == 1)
    }

    @Test("parts are read one behind the other, wherever a range begins and ends")
    func read() {
        let all = Array("01256789".utf8)
        for start in 0...8 {
            for end in start...8 {
                #expect(body.read(end - start, at: Int64(start)) == Array(all[start..<end]), "\(start)..<\(end)")
            }
        }
        #expect(Self.text(body.read(100, at: 6)) == "89")
    }

    @Test("without some ranges, a part is what lies between them, in memory as in a file")
    func without() {
        for whole in [Self.bytes("23456789"), Self.file("23456789")] {
            let part = Part(2..<10, whole)
            func left(_ ranges: [Range<Int64>]) -> [String] {
                part.without(ranges).map { rest in
                    let joined = JoinedBody([rest])
                    return "\(rest.range) \(Self.text(joined.read(Int(joined.count), at: 0)) ?? "")"
                }
            }
            #expect(left([]) == ["2..<10 23456789"])
            #expect(left([0..<2, 10..<20]) == ["2..<10 23456789"])
            #expect(left([4..<6]) == ["2..<4 23", "6..<10 6789"])
            #expect(left([0..<3, 5..<6, 9..<12]) == ["3..<5 34", "6..<9 678"])
            #expect(left([2..<4]) == ["4..<10 456789"])
            #expect(left([8..<10]) == ["2..<8 234567"])
            #expect(left([4..<6, 6..<8]) == ["2..<4 23", "8..<10 89"])
            #expect(left([0..<12]).isEmpty)
            // What is left can be cut again.
            let again = part.without([4..<6]).flatMap { $0.without([7..<8]) }
            #expect(again.map(\.range) == [2..<4, 6..<7, 8..<10])
            #expect(Self.text(JoinedBody(again).read(5, at: 0)) == "23689")
        }
    }

    @Test("small neighbours in memory become one part; a file, a gap and large parts keep them apart")
    func coalesced() {
        let touching = JoinedBody.coalesced([Part(0..<3, Self.bytes("012")), Part(3..<5, Self.bytes("34"))])
        #expect(touching.map(\.range) == [0..<5])
        #expect(Self.text(JoinedBody(touching).read(5, at: 0)) == "01234")
        let apart = [Part(0..<3, Self.bytes("012")), Part(4..<5, Self.bytes("4")), Part(5..<6, Self.file("5"))]
        #expect(JoinedBody.coalesced(apart).map(\.range) == [0..<3, 4..<5, 5..<6])
        for (size, count) in [(32 * 1024, 1), (32 * 1024 + 1, 2)] {
            let half = RecordBody.bytes([UInt8](repeating: 1, count: size))
            let end = Int64(size)
            #expect(JoinedBody.coalesced([Part(0..<end, half), Part(end..<2 * end, half)]).count == count)
        }
    }
}
