import HTTPCore
import TestDoubles
import Testing

@testable import Transforms

/// Bodies that are complete from the start.
@Suite("Complete bodies") struct CompleteBodyTests {
    @Test("content in memory makes a body that is complete and can be read at once", arguments: [true, false])
    func whole(isShared: Bool) throws {
        let body = GrowingBody(whole: ByteChunk("abc"), isShared)
        #expect(body.isComplete && body.isStorable && body.acceptsReaders && body.isShared == isShared)
        #expect(body.received == 3 && body.completeCount == 3 && body.expected == 3 && body.pieces.isEmpty)
        let reader = try #require(body.addReader(context: ManualContext()) {})
        guard case .chunks(let chunks) = reader.read(maximum: 10) else {
            return #expect(Bool(false), "it is in memory")
        }
        #expect(chunks == [ByteChunk("abc")])
        guard case .end(trailers: nil) = reader.read(maximum: 10) else {
            return #expect(Bool(false), "it is complete")
        }
    }

    @Test("stored content in memory makes a body that clients share; content of a file makes none")
    func stored() {
        let body = GrowingBody(complete: .bytes(Array("abc".utf8)))
        #expect(body?.isComplete == true && body?.isShared == true && body?.received == 3)
        #expect(GrowingBody(complete: .file(WrittenFile(3))) == nil)
        #expect(RecordBody.bytes([1, 2]).count == 2 && RecordBody.file(WrittenFile(3)).count == 3)
    }

    @Test("a body that grows has no length until it is complete")
    func growing() {
        let body = RunScene.growing(isStorable: false)
        body.append(ByteChunk("ab"))
        #expect(!body.isComplete && body.completeCount == nil && body.received == 2)
        #expect(!body.isStorable && body.isShared && body.acceptsReaders)
        body.finish(trailers: nil)
        #expect(body.isComplete && body.completeCount == 2)
        #expect(RunScene.growing().isStorable)
    }
}
