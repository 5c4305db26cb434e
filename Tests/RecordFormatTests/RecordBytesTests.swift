import HTTPCore
import RecordFormat
import Testing

/// The parts of a record, byte by byte: stores and shared servers keep them.
@Suite("Format of records") struct RecordBytesTests {
    @Test("lengths of names and values come before them, the highest byte first")
    func lengths() {
        var fields = Fields()
        fields.append(name: "X-A", value: "bc")
        #expect(RecordCoding.encode(fields) == [0, 3, 0, 0, 0, 2] + Array("X-Abc".utf8))
        let (name, value) = ([UInt8](repeating: 0x61, count: 300), [UInt8](repeating: 0x62, count: 70_000))
        var long = Fields()
        long.append(name: name, value: value)
        let bytes = RecordCoding.encode(long)
        #expect(Array(bytes.prefix(6)) == [1, 44, 0, 1, 0x11, 0x70] && bytes.count == 70_306)
        #expect(RecordCoding.decode(bytes) == long)
        #expect(RecordCoding.decode([]) == Fields() && RecordCoding.decode([0, 0, 0, 0, 0]) == nil)
        #expect(RecordCoding.format == 1)
    }

    @Test("sums have eight bytes each, the highest first; what is left over is the last one")
    func sums() {
        let sums: [UInt64] = [0x0102_0304_0506_0708, .max, 0, 1 << 63]
        let bytes = RecordCoding.encode(sums)
        #expect(Array(bytes.prefix(8)) == [1, 2, 3, 4, 5, 6, 7, 8] && bytes.count == 32)
        #expect(RecordCoding.decodeSums(bytes) == sums)
        #expect(
            RecordCoding.decodeSums(Array(bytes.prefix(10))) == [sums[0], 0xFFFF] && RecordCoding.decodeSums([]) == []
        )
    }

    @Test("checksums are XXH3-64, the same in one call as in many")
    func checksums() {
        #expect(Checksum.sum([]) == 0x2D06_8005_38D3_94C2)
        let text = Array("content of a response".utf8)
        let sum = Checksum()
        sum.update(Array(text[..<5]))
        sum.update(ByteChunk(Array(text[5...])))
        let whole = sum.digest
        #expect(whole == Checksum.sum(text) && whole != Checksum.sum(text, seed: 1))
        sum.reset()
        let empty = sum.digest
        #expect(empty == Checksum.sum([]))
        sum.update(0x0102 as Int64)
        let number = sum.digest
        #expect(number == Checksum.sum([2, 1, 0, 0, 0, 0, 0, 0]))
        sum.reset()
        sum.updatePart([7, 8])
        let part = sum.digest
        #expect(part == Checksum.sum([2, 0, 0, 0, 0, 0, 0, 0, 7, 8]))
    }

    @Test("compressed content is restored only with its own length, and only if it is whole")
    func compression() throws {
        let (compressor, restorer) = (ContentCompressor(), ContentRestorer())
        for text in [
            String(repeating: "abc", count: 1000), String(repeating: "d", count: 200),
            String(repeating: "ef", count: 5000),
        ] {
            let content = Array(text.utf8)
            let frame = try #require(compressor.compress(content))
            #expect(frame.count * 5 <= content.count * 4)
            #expect(restorer.restore(frame, count: content.count) == content)
            for count in [content.count - 1, content.count + 1, 1, 0, -1] {
                #expect(restorer.restore(frame, count: count) == nil)
            }
            #expect(restorer.restore(Array(frame.dropLast()), count: content.count) == nil)
        }
        #expect(compressor.compress([]) == nil && compressor.compress([1, 2, 3]) == nil)
        #expect(restorer.restore([], count: 1) == nil)
    }
}
