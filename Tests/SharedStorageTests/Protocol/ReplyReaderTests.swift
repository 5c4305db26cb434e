import Testing

@testable import SharedStorage

@Suite("Replies of a server")
struct ReplyReaderTests {
    /// The replies in some bytes that come in pieces of one size.
    private func read(_ text: String, piece: Int = .max, _ limits: ReplyLimits = ReplyLimits()) throws -> [RedisReply] {
        let reader = ReplyReader(limits)
        let bytes = Array(text.utf8)
        var replies: [RedisReply] = []
        for start in stride(from: 0, to: bytes.count, by: min(piece, max(1, bytes.count))) {
            reader.feed(Array(bytes[start..<min(bytes.count, start + min(piece, bytes.count))]).span)
            while let reply = try reader.next() { replies.append(reply) }
        }
        return replies
    }

    @Test("every kind of reply is read, wherever the bytes are cut")
    func kinds() throws {
        let text =
            "+OK\r\n$3\r\na\r\n\r\n$-1\r\n:42\r\n*2\r\n$1\r\nx\r\n*1\r\n:-1\r\n*0\r\n*-1\r\n-ERR bad\r\n"
            + "$0\r\n\r\n"
        let expected: [RedisReply] = [
            .text("OK"), .text("a\r\n"), .nothing, .number(42), .list([.text("x"), .list([.number(-1)])]), .list([]),
            .nothing, .failure(RedisError(Array("ERR bad".utf8))), .text(""),
        ]
        for piece in 1...text.utf8.count { #expect(try read(text, piece: piece) == expected) }
    }

    @Test(
        "bytes that are no reply are a fault",
        arguments: ["HTTP/1.1 400 Bad Request\r\n", "$abc\r\n", "*-2\r\n", ":12x\r\n", "\r\n", "$-5\r\n"]
    )
    func malformed(text: String) {
        #expect(throws: ReplyFault.self) { try read(text) }
    }

    @Test("a list that announces a billion elements takes no memory for them, and too many elements are a fault")
    func manyElements() throws {
        #expect(try read("*1000000000\r\n:1\r\n").isEmpty)
        var limits = ReplyLimits()
        limits.elements = 10
        #expect(try read("*9\r\n" + String(repeating: ":1\r\n", count: 9), limits).count == 1)
        #expect(throws: ReplyFault.tooLarge) { try read("*20\r\n" + String(repeating: ":1\r\n", count: 20), limits) }
        // Each reply is counted by itself.
        #expect(try read(String(repeating: ":1\r\n", count: 20), limits).count == 20)
    }

    @Test("a string that announces 2 GiB takes no more memory than what has come, up to the limit")
    func longString() throws {
        var limits = ReplyLimits()
        limits.bytes = 1000
        #expect(try read("$2000000000\r\nabc", limits).isEmpty)
        let text = "$2000\r\n" + String(repeating: "x", count: 2000) + "\r\n"
        #expect(throws: ReplyFault.tooLarge) { try read(text, piece: 100, limits) }
    }

    @Test("lists within lists are a fault where they are nested too deep")
    func nesting() throws {
        #expect(try read(String(repeating: "*1\r\n", count: 5) + ":1\r\n").count == 1)
        #expect(throws: ReplyFault.self) { try read(String(repeating: "*1\r\n", count: 100) + ":1\r\n") }
    }

    @Test("an unfinished reply is let go of with its reader")
    func unfinished() throws {
        #expect(try read("*3\r\n$1\r\na\r\n*2\r\n:1\r\n").isEmpty)
    }

    @Test(
        "the first word of an error says its kind",
        arguments: [
            ("WRONGPASS invalid username-password pair or user is disabled.", .wrongPassword),
            ("NOAUTH Authentication required.", .passwordRequired),
            ("NOPERM this user has no permissions to run the 'get' command", .noPermission),
            ("OOM command not allowed when used memory > 'maxmemory'.", .outOfMemory),
            ("READONLY You can't write against a read only replica.", .readOnly),
            ("LOADING Redis is loading the dataset in memory", .loading),
            ("CLUSTERDOWN The cluster is down", .clusterDown),
            ("MOVED 3999 127.0.0.1:6381", .moved(slot: 3999, ServerAddress("127.0.0.1:6381"))),
            ("MOVED 3999 ::1:6381", .moved(slot: 3999, ServerAddress("[::1]:6381"))),
            ("MOVED 3999 :6381", .moved(slot: 3999, nil)),
            ("MOVED 20000 127.0.0.1:1", .other), ("MOVED", .other),
            ("ASK 1 a.example:7", .ask(slot: 1, ServerAddress("a.example:7"))),
            ("TRYAGAIN Multiple keys request during rehashing of slot", .tryAgain),
            ("ERR unknown command 'HELLO'", .unknownCommand), ("ERR something", .other), ("", .other),
        ] as [(String, RedisError.Kind)]
    )
    func errors(text: String, kind: RedisError.Kind) {
        let error = RedisError(Array(text.utf8))
        #expect(error.kind == kind)
        #expect(!error.userMessage.isEmpty)
    }

    @Test("what a server says in an error cannot forge lines of a log, and is short there")
    func printable() {
        let error = RedisError(Array("ERR a\nb\u{1B}[0m".utf8) + [UInt8](repeating: 0x78, count: 10_000))
        #expect(error.text.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        #expect(error.text.utf8.count == 200)
    }

    @Test("a command is written as the protocol says, also with empty arguments and any bytes")
    func command() {
        var output: [UInt8] = []
        let command = RedisCommand("SET", key: Array("k".utf8), [[], [0, 13, 10]])
        #expect(CommandWriter.append(command, to: &output))
        #expect(output == Array("*4\r\n$3\r\nSET\r\n$1\r\nk\r\n$0\r\n\r\n$3\r\n".utf8) + [0, 13, 10, 13, 10])
    }
}
