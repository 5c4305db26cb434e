import CLinux
import Glibc
import TestSupport
import Testing

@testable import Transformers

@Suite("Compression libraries")
struct CodecStreamTests {
    private static let pairs: [@Sendable () throws -> (any CodecStream, any CodecStream)] = [
        { (try Deflater(.gzip, level: 6), try Inflater(.gzip)) },
        { (try Deflater(.zlib, level: 6), try Inflater(.zlib)) },
        { (try Deflater(.raw, level: 6), try Inflater(.raw)) },
        { (try BrotliEncoding(quality: 5, windowBits: 19), try BrotliDecoding()) },
        { (try ZstdEncoding(level: 3), try ZstdDecoding()) },
    ]

    @Test(
        "encoded content decodes to the same content, whatever the room of a step",
        arguments: pairs.indices,
        [1, 7, 65_536]
    )
    func roundTrip(pair: Int, room: Int) throws {
        let (encoder, decoder) = try Self.pairs[pair]()
        var content: [UInt8] = []
        for number in 0..<500 { content += Array("line \(number * number)\n".utf8) }
        let coded = try run(encoder, content, room: room)
        #expect(coded.count < content.count / 2)
        #expect(try run(decoder, coded, room: room) == content)
        try encoder.restart()
        try decoder.restart()
        #expect(try run(decoder, run(encoder, content, room: room), room: room) == content)
    }

    @Test("a step of zstd that fills its room says that there may be more, though its input is consumed")
    func fullRoom() throws {
        var random = FixedRandom(seed: 9)
        // Whole blocks: what the last step needs room for is in the library's memory by then.
        let content = random.bytes(2 * 131_072)
        let encoder = try ZstdEncoding(level: 3)
        var (output, position, made) = ([UInt8](), 0, 0)
        var step = CodecStep.needsRoom
        while step == .needsRoom {
            let before = output.count
            step = try encoder.step(content.span, from: &position, into: &output, room: 100, isLast: false)
            made = output.count - before
        }
        #expect(step == .needsInput && position == content.count && made < 100)
    }

    @Test("who is done with a stream gets its memory back", arguments: pairs.indices)
    func memory(pair: Int) async {
        // In a process of its own: nothing else allocates there.
        await #expect(processExitsWith: .success) { [pair = pair as Int] in
            // Another allocator, as a sanitizer's, tells nothing.
            if respite_heap_in_use() == 0 { return }
            let tests = CodecStreamTests()
            let content = Array(String(repeating: "abc", count: 1000).utf8)
            func use(times: Int) throws {
                for _ in 0..<times {
                    let (encoder, decoder) = try Self.pairs[pair]()
                    let coded = try tests.run(encoder, content, room: 65_536)
                    guard try tests.run(decoder, coded, room: 100) == content else { exit(2) }
                }
            }
            // What is made once is there by then.
            try use(times: 3)
            let before = respite_heap_in_use()
            try use(times: 300)
            guard respite_heap_in_use() < before + 1 << 20 else { exit(1) }
        }
    }

    /// The whole output of a stream, up to its end.
    private func run(_ stream: any CodecStream, _ input: [UInt8], room: Int) throws -> [UInt8] {
        var output: [UInt8] = []
        var position = 0
        while true {
            let before = output.count
            let step = try stream.step(input.span, from: &position, into: &output, room: room, isLast: true)
            #expect(output.count - before <= room)
            switch step {
            case .ended:
                #expect(position == input.count)
                return output
            case .needsRoom: continue
            case .needsInput: throw CodecError.invalid("it did not end")
            }
        }
    }
}
