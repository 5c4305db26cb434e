import Testing

@testable import Proxying

/// What first bytes show.
struct TunnelledProtocolTests {
    private static func judge(_ bytes: [UInt8]) -> TunnelledProtocol? { TunnelledProtocol(bytes.span) }
    private static func judge(_ text: String) -> TunnelledProtocol? { judge(Array(text.utf8)) }

    @Test(
        "a request line of HTTP/1 is one once its end has come, and never anything else before",
        arguments: ["GET / HTTP/1.1", "M-SEARCH * HTTP/1.0", "get  x y HTTP/1.9", "A B HTTP/1.1", "A ~ HTTP/1.0"]
    )
    func requestLines(line: String) {
        let bytes = Array("\(line)\r\n".utf8)
        for count in 0..<bytes.count { #expect(Self.judge(Array(bytes[..<count])) == nil, "\(count)") }
        #expect(Self.judge(bytes) == .http)
        #expect(Self.judge(bytes + Array("Host: x\r\n\r\n".utf8)) == .http)
    }

    @Test(
        "other lines and bytes are something else",
        arguments: [
            "PRI * HTTP/2.0\r\n", "HTTP/1.1 200 OK\r\n", " HTTP/1.1\r\n", "x HTTP/1.1\r\n", "GET / HTTP/1.x\r\n",
            "GET / HTTP/1.10\r\n", "\r\nGET / HTTP/1.1\r\n", "GET / HTTP/1.1\n", "GET / HTTP/1.1\rx", "\u{80}", "\u{0}",
            "GET\t/ HTTP/1.1\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "GET  HTTP/1.1\r\n", "GET /\u{7F} HTTP/1.1\r\n",
            "GET /\u{1F} HTTP/1.1\r\n", "GET / HTTP/1.:\r\n", "GET / HTTP/1./\r\n", "GET / HTTP/1.\r\n",
            "GET / HTTP/1.1\r\r", " A B HTTP/1.1\r\n", "HTTP/1.1\r\n", "\r\n", "\u{15}\u{3}", "\u{17}\u{3}",
        ]
    )
    func others(text: String) { #expect(Self.judge(text) == .other) }

    @Test("a record of a handshake is TLS by its second byte")
    func tls() {
        #expect(Self.judge([0x16]) == nil)
        #expect(Self.judge([0x16, 3]) == .tls)
        #expect(Self.judge([0x16, 3, 1, 2, 0]) == .tls)
        #expect(Self.judge([0x16, 2]) == .other && Self.judge([0x16, 4]) == .other)
        #expect(Self.judge([0x80, 0x2E, 1]) == .other)
    }

    @Test("a line that does not end is given up")
    func endless() {
        let long = [UInt8](repeating: 0x61, count: 16384)
        #expect(Self.judge(long) == nil)
        #expect(Self.judge(long + [0x61]) == .other)
    }
}
