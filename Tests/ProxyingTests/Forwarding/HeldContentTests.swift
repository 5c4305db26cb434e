import HTTPCore
import Testing

@testable import Proxying

/// Contents that requests hold, and the memory that all of them share.
@Suite struct HeldContentTests {
    private static func chunk(_ text: String) -> ByteChunk { ByteChunk(text) }

    private static func text(_ chunk: ByteChunk) -> String { String(decoding: chunk.bytes, as: UTF8.self) }

    @Test("memory is given up to its limit, and what does not fit takes nothing of it")
    func memory() {
        let memory = QuestionMemory(limit: 10)
        #expect(memory.take(10) && !memory.take(1))
        memory.release(4)
        #expect(!memory.take(5) && memory.take(4) && !memory.take(1))
        memory.borrow(3)
        memory.release(4)
        #expect(memory.take(1) && !memory.take(1))
    }

    @Test("what no memory is left for is held all the same, and told; all of it is given back at the end")
    func end() {
        let memory = QuestionMemory(limit: 10)
        var held: HeldContent? = HeldContent(memory)
        #expect(held?.append(Self.chunk("012345")) == true)
        #expect(held?.append(Self.chunk("6789ab")) == false)
        #expect(held?.bytes == Array("0123456789ab".utf8))
        #expect(!memory.take(1))
        held = nil
        #expect(memory.take(10) && !memory.take(1))
    }

    @Test("content goes up in parts as large as they are asked for, each byte once")
    func parts() {
        let held = HeldContent(QuestionMemory(limit: 100))
        #expect(held.isSent)
        #expect(held.append(Self.chunk("0123456789")))
        #expect(!held.isSent && Self.text(held.takePart(0)) == "" && Self.text(held.takePart(-1)) == "")
        #expect(Self.text(held.takePart(4)) == "0123" && Self.text(held.takePart(1)) == "4" && !held.isSent)
        #expect(Self.text(held.takePart(100)) == "56789" && held.isSent && Self.text(held.takePart(5)) == "")
        #expect(!held.isComplete)
        held.end(trailers: nil)
        #expect(held.isComplete && held.trailers == nil)
    }

    @Test("questions have a mebibyte of content and 64 of memory unless the settings say otherwise")
    func defaults() {
        let options = QuestionOptions()
        #expect(options.contentLimit == 1 << 20)
        #expect(options.memory.take(64 << 20) && !options.memory.take(1))
    }
}
