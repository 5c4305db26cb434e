import Testing

@testable import SharedStorage

/// The limits of replies, and the words of errors.
@Suite struct ReplyLimitTests {
    private static func limits(bytes: Int = 1 << 20, elements: Int = 100) -> ReplyLimits {
        var limits = ReplyLimits()
        (limits.bytes, limits.elements) = (bytes, elements)
        return limits
    }

    @Test("a reply has as many elements as the limit says, its lists among them")
    func elements() throws {
        for (count, fits) in [(9, true), (10, false)] {
            let reader = ReplyReader(Self.limits(elements: 10))
            reader.feed(Array(("*\(count)\r\n" + String(repeating: ":1\r\n", count: count)).utf8).span)
            guard fits else {
                #expect(throws: ReplyFault.tooLarge) { try reader.next() }
                continue
            }
            #expect(try reader.next()?.list?.count == count)
        }
    }

    @Test("an unfinished reply has as many bytes as the limit says, and what is finished does not count")
    func bytes() throws {
        let reader = ReplyReader(Self.limits(bytes: 20))
        reader.feed(Array(":123456\r\n:123456\r\n:123456\r\n".utf8).span)
        for _ in 0..<3 { #expect(try reader.next() == .number(123_456)) }
        #expect(try reader.next() == nil)
        reader.feed(Array("$100\r\n".utf8).span)
        #expect(try reader.next() == nil)
        reader.feed([UInt8](repeating: 0x78, count: 14).span)
        #expect(try reader.next() == nil)
        reader.feed([UInt8](repeating: 0x78, count: 1).span)
        #expect(throws: ReplyFault.tooLarge) { try reader.next() }
    }

    @Test("bytes come one at a time, or not at all")
    func single() throws {
        let reader = ReplyReader()
        reader.feed([UInt8]().span)
        #expect(try reader.next() == nil)
        for byte in Array(":7\r".utf8) {
            reader.feed([byte].span)
            #expect(try reader.next() == nil)
        }
        reader.feed(Array("\n".utf8).span)
        #expect(try reader.next() == .number(7))
    }

    @Test("a fault says what is wrong")
    func fault() {
        let reader = ReplyReader()
        reader.feed(Array("HTTP/1.1 400\r\n".utf8).span)
        let fault = #expect(throws: ReplyFault.self) { try reader.next() }
        guard case .malformed(let text)? = fault else { return #expect(Bool(false), "\(String(describing: fault))") }
        #expect(text.hasPrefix("Protocol error"))
    }

    @Test("the text of an error has 200 bytes of printable ASCII at most")
    func texts() {
        #expect(RedisError([0x1F, 0x20, 0x7E, 0x7F, 0x80]).text == "? ~??")
        #expect(RedisError([UInt8](repeating: 0x61, count: 201)).text == String(repeating: "a", count: 200))
    }

    @Test(
        "the kind of an error is its first word, or how it begins",
        arguments: [
            ("MASTERDOWN Link", .primaryDown), ("BUSY Redis", .busyWithScript), ("MISCONF x", .diskFailure),
            ("CROSSSLOT x", .crossSlot), ("ERR invalid password", .wrongPassword), ("ERR unknown", .other),
            ("MOVED 16383 a:1", .moved(slot: 16_383, .host("a", port: 1))), ("MOVED 16384 a:1", .other),
            ("MOVED 1", .other), ("ASK 1", .other), ("MOVED x a:1", .other),
            ("ASK 2 a:1 more words", .ask(slot: 2, .host("a", port: 1))),
        ] as [(String, RedisError.Kind)]
    )
    func kinds(text: String, kind: RedisError.Kind) {
        #expect(RedisError(Array(text.utf8)).kind == kind)
    }

    @Test("a command has the bytes of its arguments, and the key by which its slot is found")
    func commands() {
        let plain = RedisCommand("SET", key: Array("key".utf8), [Array("value".utf8), []])
        #expect(plain.count == 11 && plain.key == Array("key".utf8))
        let script = RedisCommand(script: "return", keys: [[1, 2], [3]], [[4]])
        #expect(script.arguments == [Array("EVAL".utf8), Array("return".utf8), Array("2".utf8), [1, 2], [3], [4]])
        #expect(script.key == [1, 2] && script.count == 15)
        #expect(RedisCommand("PING").key == nil && RedisCommand("PING", [[1]]).key == nil)
    }
}
