import Exchanges
import HTTPCore
import TestDoubles
import Testing

@testable import Transforms

/// A file that may be damaged or shorter than it should be, and counts what is asked of it.
private final class CheckedFile: BodyFile {
    let bytes: [UInt8]
    let count: Int64
    let isRight: Bool
    let isReadable: Bool
    let calls = LockedBox<[String]>([])

    init(_ text: String, missing: Int = 0, isRight: Bool = true, isReadable: Bool = true) {
        bytes = Array(text.utf8.dropLast(missing))
        count = Int64(text.utf8.count)
        self.isRight = isRight
        self.isReadable = isReadable
    }

    func read(_ count: Int, at offset: Int64) -> [UInt8]? {
        isReadable ? Array(bytes.dropFirst(Int(offset)).prefix(count)) : nil
    }

    func piece(_ range: Range<Int64>) -> BodyPiece {
        .chunks([ByteChunk(read(range.count, at: range.lowerBound) ?? [])])
    }

    func verify(_ range: Range<Int64>, _ completion: @escaping @Sendable (Bool) -> Void) {
        calls.change { $0.append("verify \(range)") }
        completion(isRight)
    }

    func isVerified(_ range: Range<Int64>) -> Bool {
        calls.change { $0.append("ask \(range)") }
        return isRight
    }

    func fileCouldNotBeRead() { calls.change { $0.append("unreadable") } }
}

@Suite("Files of content of several parts") struct JoinedFilesTests {
    /// In memory 0 to 2, in a file 5 to 7, in memory 8 and 9, in another file a and b.
    private static func body(_ first: CheckedFile, _ second: CheckedFile = CheckedFile("ab")) -> JoinedBody {
        JoinedBody([
            JoinedBody.Part(0..<3, .bytes(Array("012".utf8))), JoinedBody.Part(5..<8, .file(first)),
            JoinedBody.Part(8..<10, .bytes(Array("89".utf8))), JoinedBody.Part(10..<12, .file(second)),
        ])
    }

    private static func text(_ piece: BodyPiece) -> String? {
        guard case .chunks(let chunks) = piece else { return nil }
        return String(decoding: chunks.flatMap(\.bytes), as: UTF8.self)
    }

    @Test("a piece of a range ends where its part ends, and has bytes unless the range is empty")
    func pieces() {
        let body = Self.body(CheckedFile("567"))
        let expected = ["012", "12", "2", "567", "67", "7", "89", "9", "ab", "b", ""]
        #expect((0...10 as ClosedRange<Int64>).map { Self.text(body.piece($0..<10)) ?? "none" } == expected)
        #expect(Self.text(body.piece(4..<5)) == "6" && Self.text(body.piece(1..<2)) == "1")
    }

    @Test("reading ends before bytes that a file lacks, and fails with a file that cannot be read")
    func damaged() {
        #expect(Self.body(CheckedFile("567", missing: 1)).read(10, at: 0) == Array("01256".utf8))
        #expect(Self.body(CheckedFile("567", isReadable: false)).read(10, at: 0) == nil)
        #expect(Self.body(CheckedFile("567", isReadable: false)).read(3, at: 0) == Array("012".utf8))
    }

    @Test(
        "the files of a range are checked, each for its section, up to the first that is wrong",
        arguments: [true, false]
    )
    func verified(isRight: Bool) {
        let (first, second) = (CheckedFile("567", isRight: isRight), CheckedFile("ab"))
        let body = Self.body(first, second)
        let results = LockedBox<[Bool]>([])
        body.verify(4..<9) { result in results.change { $0.append(result) } }
        #expect(results.value == [isRight])
        #expect(first.calls.value == ["verify 1..<3"])
        #expect(second.calls.value == (isRight ? ["verify 0..<1"] : []))
        body.verify(0..<3) { result in results.change { $0.append(result) } }
        #expect(results.value == [isRight, true] && first.calls.value.count == 1)
    }

    @Test(
        "a range is known to be right if all its files say so",
        arguments: [(true, true), (true, false), (false, true)]
    )
    func isVerified(first: Bool, second: Bool) {
        let files = [CheckedFile("567", isRight: first), CheckedFile("ab", isRight: second)]
        let body = Self.body(files[0], files[1])
        #expect(body.isVerified(0..<10) == (first && second))
        #expect(body.isVerified(0..<3) && body.isVerified(6..<8))
        #expect(body.isVerified(2..<7) == first && body.isVerified(7..<9) == second)
        #expect(files[0].calls.value == ["ask 0..<3", "ask 0..<3"])
    }

    @Test("each file learns that one of them could not be read")
    func unreadable() {
        let files = [CheckedFile("567"), CheckedFile("ab")]
        Self.body(files[0], files[1]).fileCouldNotBeRead()
        #expect(files.map(\.calls.value) == [["unreadable"], ["unreadable"]])
    }
}
