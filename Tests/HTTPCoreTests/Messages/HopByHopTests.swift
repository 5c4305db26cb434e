import HTTPCore
import Testing

@Suite("Fields of one connection")
struct HopByHopTests {
    @Test("Connection, what it nominates, and connection fields are taken off (H-067, H-068)")
    func hopByHop() {
        var request = fields(
            ("Connection", "X-Hop, close"),
            ("x-hop", "1"),
            ("X-Keep", "2"),
            ("connection", "\tfoo ,, X-Other"),
            ("X-Other", "3"),
            ("Proxy-Connection", "keep-alive"),
            ("Keep-Alive", "timeout=1"),
            ("TE", "gzip"),
            ("Upgrade", "h2c"),
            ("HTTP2-Settings", "x"),
            ("Transfer-Encoding", "chunked"),
            ("Close", "kept"),
            ("Proxy-Authorization", "Basic x"),
            ("User-Agent", "y")
        )
        HopByHop.strip(request: &request)
        #expect(names(request) == ["X-Keep", "Close", "User-Agent"])
    }

    @Test("Proxy-Authorization stays only for a parent proxy (H-070)")
    func proxyAuthorization() {
        var request = fields(("Proxy-Authorization", "Basic x"), ("Connection", "Proxy-Authorization"))
        HopByHop.strip(request: &request, keepsProxyAuthorization: true)
        #expect(names(request) == ["Proxy-Authorization"])
    }

    @Test(
        "a field that is relied on cannot be nominated away (H-069)",
        arguments: [
            "Host", "Content-Length", "Authorization", "Cookie", "Cache-Control", "Range", "Via", "Forwarded",
            "X-Forwarded-For", "ETag", "Last-Modified", "If-None-Match", "Age", "Date", "Vary", "Set-Cookie",
        ]
    )
    func protectedFields(name: String) {
        var message = fields((name, "1"), ("Connection", name.lowercased()))
        HopByHop.strip(response: &message)
        #expect(names(message) == [name])
    }

    @Test("these known fields may be nominated away, and no others (H-069)")
    func nominable() {
        let found = KnownField.allCases.filter { field in
            var message = fields((text(field.bytes), "1"), ("Connection", text(field.bytes)))
            HopByHop.strip(response: &message)
            return message.isEmpty
        }
        let expected: [KnownField] = [
            .accept, .acceptEncoding, .acceptLanguage, .acceptRanges, .allow, .altSvc, .connection, .contentLanguage,
            .http2Settings, .incremental, .keepAlive, .proxyAuthenticate, .proxyAuthenticationInfo,
            .proxyAuthorization, .proxyConnection, .referer, .retryAfter, .server, .te, .trailer, .transferEncoding,
            .upgrade, .userAgent, .warning,
        ]
        #expect(Set(found) == Set(expected))
    }

    @Test("without Connection only the fields of one connection are taken off (H-068)")
    func withoutConnection() {
        for field in KnownField.allCases where field != .connection {
            var message = fields((text(field.bytes), "1"), ("X-A", "2"))
            HopByHop.strip(response: &message)
            let isStripped = [
                KnownField.proxyConnection, .keepAlive, .te, .upgrade, .transferEncoding, .http2Settings,
                .proxyAuthorization, .proxyAuthenticate, .proxyAuthenticationInfo,
            ].contains(field)
            #expect(names(message) == (isStripped ? [] : [text(field.bytes)]) + ["X-A"])
        }
    }

    @Test("a WebSocket handshake is known by both fields (H-077)")
    func webSocket() throws {
        let start = "GET /a HTTP/1.1"
        let good = try #require(requestHead(start, "Host: a", "Connection: x, Upgrade", "Upgrade: WebSocket"))
        #expect(good.requestsWebSocket)
        for lines in [
            ["Connection: x", "Upgrade: websocket"], ["Connection: upgrade", "Upgrade: h2c"],
            ["Connection: upgrade", "Upgrade: websocket, x"], ["Connection: upgrade", "X: y"],
        ] {
            #expect(try #require(requestHead(start, "Host: a", lines[0], lines[1])).requestsWebSocket == false)
        }
        #expect(
            requestHead("POST / HTTP/1.1", "Host: a", "Connection: upgrade", "Upgrade: websocket")?.requestsWebSocket
                == false
        )
    }

    @Test("Via is added with the received version, and a loop is seen (H-071, H-135)")
    func via() {
        let via = Via(instance: latin("4f-2A"))
        #expect(text(via.pseudonym) == "respite-4f2A")
        var message = fields(("Via", "1.0 early, 1.1 later"))
        #expect(!via.isMember(of: message))
        via.append(to: &message, received: .http10)
        #expect(message.values(of: .via).map { text($0) } == ["1.0 early, 1.1 later", "1.0 respite-4f2A"])
        #expect(via.isMember(of: message))
        for (value, isLoop) in [
            ("1.1 RESPITE-4F2A", true), ("HTTP/1.1 respite-4f2A (x, y)", true), ("1.1 a (b), 1.1 respite-4f2A", true),
            ("1.1 a (1.1 respite-4f2A)", false), ("1.1 respite-4f2A2", false), ("respite-4f2A", false), ("(", false),
            ("1.1 respite", false), ("1.1\trespite-4f2A,", true), ("1.1 a (\\), 1.1 respite-4f2A", false),
        ] {
            #expect(via.isMember(of: fields(("Via", value))) == isLoop)
        }
    }
}
