import Exchanges
import HTTPCore
import TestDoubles
import Testing

@testable import Transforms

/// The content that a run reads.
@Suite("Input of runs") struct PipelineInputTests {
    /// A file that is checked at once, or when the test says so.
    private final class CheckedFile: BodyFile {
        let count: Int64
        let missing: Int
        let isAtOnce: Bool
        let isReadable: Bool
        let ranges = LockedBox<[Range<Int64>]>([])
        private let waiting = LockedBox<[@Sendable (Bool) -> Void]>([])

        init(_ count: Int64, missing: Int = 0, isAtOnce: Bool = true, isReadable: Bool = true) {
            self.count = count
            self.missing = missing
            self.isAtOnce = isAtOnce
            self.isReadable = isReadable
        }

        func read(_ count: Int, at offset: Int64) -> [UInt8]? {
            isReadable ? (0..<max(0, count - missing)).map { UInt8(truncatingIfNeeded: Int(offset) + $0) } : nil
        }

        func piece(_ range: Range<Int64>) -> BodyPiece { .chunks([]) }
        func isVerified(_ range: Range<Int64>) -> Bool { false }

        func verify(_ range: Range<Int64>, _ completion: @escaping @Sendable (Bool) -> Void) {
            ranges.change { $0.append(range) }
            if isAtOnce { completion(true) } else { waiting.change { $0.append(completion) } }
        }

        func check(_ isRight: Bool) {
            let completions = waiting.change { waiting in
                defer { waiting = [] }
                return waiting
            }
            for completion in completions { completion(isRight) }
        }
    }

    /// A file in which all is at once that is appended.
    private final class OpenFile: BodyWriter {
        let descriptor: Int32 = 99
        let isShort: Bool
        private let bytes = LockedBox<[UInt8]>([])

        init(isShort: Bool) { self.isShort = isShort }

        func read(_ count: Int, at offset: Int64) -> [UInt8]? {
            Array(bytes.value.dropFirst(Int(offset)).prefix(isShort ? count - 1 : count))
        }

        func append(_ chunk: ByteChunk, _ completion: @escaping @Sendable (Int64?) -> Void) {
            bytes.change { $0 += chunk.bytes }
            completion(Int64(bytes.value.count))
        }

        func finish(_ completion: @escaping @Sendable ((any BodyFile)?) -> Void) { completion(nil) }
        func discard() {}
    }

    private static let damaged = ExchangeFailure(.internalError, "the stored content cannot be read")

    private let wakes = LockedBox(0)

    private func input(_ source: PipelineSource) -> PipelineInput {
        PipelineInput(source) { [wakes] in wakes.change { $0 += 1 } }
    }

    /// The next piece, in words.
    private func next(_ input: PipelineInput) -> String {
        switch input.next() {
        case .bytes(let chunk): "\(chunk.count) from \(chunk.bytes.first ?? 255)"
        case .wait: "wait"
        case .end: "end"
        case .failed(let failure): failure == Self.damaged ? "damaged" : failure.userMessage
        }
    }

    private func all(_ input: PipelineInput, _ count: Int) -> [String] { (0..<count).map { _ in next(input) } }

    @Test("a file is read in pieces, each once it is checked")
    func file() {
        let file = CheckedFile(64 * 1024 + 10)
        #expect(all(input(.stored(.file(file))), 4) == ["65536 from 0", "10 from 0", "end", "end"])
        #expect(file.ranges.value == [0..<65_536, 65_536..<65_546])
        #expect(all(input(.stored(.file(CheckedFile(0)))), 2) == ["end", "end"])
    }

    @Test("a check that takes time makes the input wait, and wakes it once", arguments: [true, false])
    func slowCheck(isRight: Bool) {
        let file = CheckedFile(1, isAtOnce: false)
        let input = input(.stored(.file(file)))
        #expect(next(input) == "wait" && wakes.value == 0)
        #expect(file.ranges.value == [0..<1])
        file.check(isRight)
        #expect(wakes.value == 1)
        #expect(all(input, 2) == (isRight ? ["1 from 0", "end"] : ["damaged", "damaged"]))
    }

    @Test("a file that cannot be read, or has become shorter, is damaged")
    func unreadable() {
        #expect(next(input(.stored(.file(CheckedFile(10, missing: 1))))) == "damaged")
        #expect(next(input(.stored(.file(CheckedFile(10, isReadable: false))))) == "damaged")
    }

    @Test("content in memory comes in pieces; what is put back comes first")
    func memory() {
        #expect(all(input(.stored(.bytes([]))), 2) == ["end", "end"])
        let large = input(.stored(.bytes([UInt8](repeating: 1, count: 64 * 1024) + [2])))
        #expect(all(large, 3) == ["65536 from 1", "1 from 2", "end"])
        let small = input(.stored(.bytes([1, 2])))
        #expect(next(small) == "2 from 1")
        small.unread([ByteChunk([3, 4, 5])])
        small.unread([ByteChunk([6]), ByteChunk([7])])
        #expect(all(small, 4) == ["1 from 6", "1 from 7", "3 from 3", "end"])
    }

    @Test("more than four chunks that came together are one piece", arguments: [1, 4, 5, 8])
    func manyChunks(count: Int) {
        let body = RunScene.growing()
        let input = input(.growing(body))
        #expect(next(input) == "wait")
        for index in 0..<count { body.append(ByteChunk([UInt8](repeating: UInt8(index), count: 1500))) }
        #expect(wakes.value == 1)
        let pieces = count > 4 ? ["\(count * 1500) from 0"] : (0..<count).map { "1500 from \($0)" }
        #expect(all(input, pieces.count + 1) == pieces + ["wait"])
        body.finish(trailers: nil)
        #expect(wakes.value == 2 && next(input) == "end")
    }

    @Test("content that has moved to a file is read there, and damaged if that lacks bytes", arguments: [false, true])
    func moved(isShort: Bool) {
        var limits = GrowingBody.Limits()
        (limits.inMemory, limits.spilledWindow) = (1024, 0)
        let file = OpenFile(isShort: isShort)
        let makeWriter: @Sendable (Int64?) -> (any BodyWriter)? = { _ in file }
        let body = GrowingBody(
            limits: limits,
            expected: nil,
            isShared: true,
            granted: 1 << 20,
            makeWriter: makeWriter,
            grant: { _ in },
            lostStore: {}
        )
        for byte in [1, 2] as [UInt8] { body.append(ByteChunk([UInt8](repeating: byte, count: 40_000))) }
        body.finish(trailers: nil)
        let expected = isShort ? ["damaged"] : ["65536 from 1", "14464 from 2", "end"]
        #expect(all(input(.growing(body)), expected.count) == expected)
    }

    @Test("content that has failed before the run reads it tells why")
    func failedBefore() {
        let body = RunScene.growing()
        body.append(ByteChunk("ab"))
        body.fail(ExchangeFailure(.responseIncomplete, "cut"))
        #expect(all(input(.growing(body)), 2) == ["cut", "cut"])
    }

    @Test("content whose beginning has left memory cannot be read")
    func gone() {
        var limits = GrowingBody.Limits()
        limits.window = 2000
        let body = RunScene.growing(isStorable: false, limits: limits)
        for _ in 0..<3 { body.append(ByteChunk([UInt8](repeating: 1, count: 1500))) }
        guard case .failed(let failure) = input(.growing(body)).next() else { return #expect(Bool(false)) }
        let message = "the beginning of the response is gone already"
        #expect(failure == ExchangeFailure(.internalError, message))
    }

    @Test("a source knows its length before it is complete if that was announced, and always afterwards")
    func lengths() {
        #expect(PipelineSource.stored(.bytes([1, 2])).count == 2)
        let body = RunScene.growing(expected: 3)
        let unknown = RunScene.growing()
        #expect(PipelineSource.growing(body).count == 3 && PipelineSource.growing(unknown).count == nil)
        for body in [body, unknown] {
            body.append(ByteChunk("ab"))
            body.finish(trailers: nil)
            #expect(PipelineSource.growing(body).count == 2)
        }
    }
}
