import Testing

@testable import HTTPCore

@Suite("Small tools for bytes")
struct BytesTests {
    @Test("an allocation takes its header and is a multiple of 16, 32 at least")
    func heapSize() {
        #expect([0, 1, 24, 25, 40, 41, 56].map(HeapSize.object) == [32, 32, 32, 48, 48, 64, 64])
        #expect(HeapSize.array([UInt8]()) == 0)
        let numbers = [UInt64](repeating: 1, count: 5)
        #expect(HeapSize.array(numbers) == HeapSize.object(32 + numbers.capacity * 8))
    }

    @Test("a length has four bytes, the highest first")
    func lengths() {
        var output: [UInt8] = [9]
        output.appendWithLength(latin("ab"))
        #expect(output == [9, 0, 0, 0, 2, 0x61, 0x62])
        output = []
        output.appendWithLength([UInt8](repeating: 7, count: 0x01_02_03).span)
        #expect(output.prefix(5) == [0, 1, 2, 3, 7] && output.count == 4 + 0x01_02_03)
    }

    @Test("two runs of bytes stand behind what was there, one after the other; each may be empty")
    func runs() {
        let (one, other, none) = (latin("ab"), latin("cde"), [UInt8]())
        var output = latin("x")
        output.append(copying: one.span, other.span)
        #expect(text(output) == "xabcde")
        output.append(copying: none.span, one.span)
        output.append(copying: other.span, none.span)
        #expect(text(output) == "xabcdeabcde")
    }

    @Test(
        "what is quoted in a message has 40 visible bytes at most, and no quotation mark of its own",
        arguments: [
            ("abc", "`abc`"), ("", "``"), ("a b`c\u{7F}\n~!", "`a?b?c??~!`"),
            (String(repeating: "x", count: 40), "`" + String(repeating: "x", count: 40) + "`"),
            (String(repeating: "x", count: 41), "`" + String(repeating: "x", count: 40) + "…`"),
        ]
    )
    func quoted(text: String, expected: String) {
        #expect("\(Quoted(latin(text)))" == expected)
    }

    @Test("pieces of a chunk are those of its bytes, and never outside of them")
    func chunks() {
        let chunk = ByteChunk(latin("xabcdex"), range: 1..<6)
        #expect(chunk.bytes == latin("abcde") && chunk.count == 5 && !chunk.isEmpty)
        #expect(chunk.prefix(2).bytes == latin("ab") && chunk.prefix(9).bytes == latin("abcde"))
        #expect(chunk.dropFirst(2).bytes == latin("cde") && chunk.dropFirst(9).isEmpty && chunk.dropFirst(0) == chunk)
        let lent = chunk.withBytes { [UInt8](copying: $0) }
        #expect(lent == latin("abcde"))
        #expect(chunk == ByteChunk("abcde") && chunk != ByteChunk("abcdx") && chunk != ByteChunk("abcd"))
        #expect(ByteChunk(latin("ab")).bytes == latin("ab") && ByteChunk("").isEmpty)
        let bytes = latin("abc")
        #expect(ByteChunk(copying: bytes.span).bytes == bytes)
    }

    @Test("a small array's elements are changed in place, and a literal makes one", arguments: 1..<4)
    func tinyArray(count: Int) {
        var list = TinyArray<[Int]>((0..<count).map { [$0] })
        #expect(list.only == (count == 1 ? [0] : nil))
        for index in 0..<count {
            list[index].append(9)
            list[index][0] += 10
        }
        #expect(Array(list) == (0..<count).map { [$0 + 10, 9] } && list.count == count)
        let literal: TinyArray = [1, 2, 3]
        #expect(Array(literal) == [1, 2, 3] && literal.only == nil && TinyArray<Int>().only == nil)
        #expect(Array(TinyArray(7)) == [7])
    }

    @Test("a quoted string has visible bytes, blanks, and what is beyond ASCII")
    func unquoted() {
        func unquoted(_ bytes: [UInt8]) -> [UInt8]? { Token.unquoted(bytes.span) }
        func isToken(_ bytes: [UInt8]) -> Bool { Token.isToken(bytes.span) }
        for byte in 0...255 as ClosedRange<UInt8> {
            let isText = byte == 0x09 || byte >= 0x20 && byte != 0x7F
            #expect(unquoted([0x22, 0x5C, byte, 0x22]) == (isText ? [byte] : nil), "\(byte)")
            let isPlain = isText && byte != 0x22 && byte != 0x5C
            #expect(unquoted([0x22, byte, 0x61, 0x22]) == (isPlain ? [byte, 0x61] : nil) || byte == 0x5C)
            #expect(isToken([byte]) == ByteClass.token.contains(byte))
        }
        #expect(!isToken([]) && !isToken(latin("a b")) && isToken(latin("a-b")))
    }

    @Test("text is quoted with escapes, and what is no visible ASCII becomes a question mark")
    func quoting() {
        var output: [UInt8] = [0x3D]
        Token.appendQuoted(latin("a\"\\ ~\u{7F}\u{1F}\u{E9}"), to: &output)
        #expect(text(output) == "=\"a\\\"\\\\ ~???\"")
    }
}
