import HTTPCore
import Testing

private func fields(_ lines: (String, String)...) -> Fields {
    var fields = Fields()
    for (name, value) in lines { fields.append(name: name, value: value) }
    return fields
}

private func names(_ fields: Fields) -> [String] { fields.lines.map { text(fields.name(of: $0)) } }

@Suite("Semantics")
struct SemanticsTests {
    @Test(
        "a compact chunk holds the same bytes in memory hardly larger than they are",
        arguments: [(0, 0), (3, 3), (3, 4096), (900, 1024), (4096, 4096), (4096, 65_536)]
    )
    func compact(count: Int, capacity: Int) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(capacity)
        bytes += (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        for chunk in [ByteChunk(bytes), ByteChunk(bytes, range: count / 3..<count)] {
            let compact = chunk.compact
            #expect(compact == chunk)
            #expect(compact.storage.capacity - compact.count <= max(64, compact.count / 8))
        }
    }

    @Test(
        "lists: members are trimmed, empty ones left out, commas in quotes kept",
        arguments: [
            ("a, b ,c", ["a", "b", "c"]), (",, a ,\t, b,", ["a", "b"]), ("", []), (" , ", []),
            ("\"a,b\", c", ["\"a,b\"", "c"]), ("\"a\\\",b\",c", ["\"a\\\",b\"", "c"]), ("\"a, b", ["\"a, b"]),
        ]
    )
    func lists(value: String, members: [String]) {
        let bytes = latin(value)
        #expect(ListMembers.ranges(in: bytes.span).map { text(bytes[$0]) } == members)
    }

    @Test("entity tags in a list: a backslash is itself, comparison is weak (C-12.2)")
    func entityTags() throws {
        let all = fields(("If-None-Match", "\"a\\\", W/\"b,c\""), ("If-None-Match", "d"))
        let tags = EntityTag.list(of: .ifNoneMatch, in: all)
        #expect(tags.map { text($0.bytes) } == ["\"a\\\"", "W/\"b,c\"", "d"])
        let tag = try #require(EntityTag(latin("\"b,c\"")))
        #expect(tag.matchesWeakly(tags[1]))
        #expect(!tag.matchesStrongly(tags[1]))
        func isMember(of list: String, strongly: Bool) -> Bool {
            tag.isMember(ofList: latin(list).span, strongly: strongly)
        }
        #expect(isMember(of: "\"x\", W/\"b,c\"", strongly: false))
        #expect(!isMember(of: "\"x\", W/\"b,c\"", strongly: true))
        #expect(isMember(of: "\"x\",\"b,c\"", strongly: true))
        #expect(EntityTag(latin("w/\"a\""))?.isWeak == false)
        #expect(EntityTag(latin(" ")) == nil)
    }

    @Test("quoted strings")
    func quotedStrings() {
        #expect(Token.unquoted(latin("\"a\\\"b\"").span) == latin("a\"b"))
        #expect(Token.unquoted(latin("\"\"").span) == [])
        for bad in ["", "\"", "a", "\"a", "\"a\"b\"", "\"a\\\"", "\"a\u{1}\""] {
            #expect(Token.unquoted(latin(bad).span) == nil)
        }
    }

    @Test("a copy without some lines is what is left when they are removed, and others are appended to it alone")
    func copyWithout() {
        let all = fields(("Host", "a"), ("X-Keep", "1"), ("Expect", "b"), ("Via", "c"), ("host", "d"))
        var removed = all
        removed.removeLines { $0.known == .host || $0.known == .expect }
        var copy = all.copy(addingLines: 1, bytes: 8) { $0.known == .host || $0.known == .expect }
        #expect(copy == removed && copy.present == removed.present)
        copy.append(.via, "e")
        removed.append(.via, "e")
        #expect(copy == removed && all.count(of: .via) == 1)
    }

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

    @Test(
        "references are resolved as in RFC 3986 §5.4",
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
            ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"), ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"), ("../../g", "http://a/g"),
            ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("g.", "http://a/b/c/g."),
            ("..g", "http://a/b/c/..g"),
            ("./g/.", "http://a/b/c/g/"), ("g/../h", "http://a/b/c/h"), ("g;x=1/../y", "http://a/b/c/y"),
            ("g?y/../x", "http://a/b/c/g?y/../x"), ("http://b/x/../y", "http://b/y"), ("HTTPS://B:443", "https://b/"),
            ("g:h", nil), ("mailto:a@b", nil), ("/a b", nil), ("http://u@b/", nil), ("//", nil), ("/\u{e9}", nil),
            ("http:g", nil),
        ] as [(String, String?)]
    )
    func resolution(reference: String, expected: String?) throws {
        let base = try TargetURI(parsing: "http://a/b/c/d;p?q")
        #expect(base.resolving(latin(reference))?.text == expected)
    }

    @Test("origins are compared by scheme, host and port")
    func origins() throws {
        let one = try TargetURI(parsing: "http://a.test/x")
        #expect(one.hasSameOrigin(as: try TargetURI(parsing: "http://A.test:80/y")))
        for other in ["https://a.test/x", "http://a.test:81/x", "http://a.test./x"] {
            #expect(!one.hasSameOrigin(as: try TargetURI(parsing: other)))
        }
    }

    @Test(
        "a URI made of another one's origin and a path is the one made of all its parts",
        arguments: [
            ("http://a.example/", "", "/x?y"), ("https://a.example:8443/p", "/p", "/x"), ("http://[::1]:81/", "", ""),
            ("https://a.example/p/", "/p", ""),
        ]
    )
    func sharedOrigin(base: String, prefix: String, path: String) throws {
        let base = try TargetURI(parsing: base)
        let whole = TargetURI(scheme: base.scheme, host: base.host, port: base.port, path: latin(prefix + path))
        let uri = TargetURI(originOf: base, prefix: latin(prefix), path: latin(path).span)
        #expect(uri == whole)
        #expect(uri.host == whole.host && uri.path == whole.path && uri.authority == whole.authority)
        #expect(uri.port == whole.port && uri.scheme == whole.scheme)
    }

    @Test(
        "durations are whole nanoseconds, cut off towards zero, and as much as fits",
        arguments: [
            (.zero, 0), (.nanoseconds(1), 1), (.seconds(60), 60_000_000_000), (.seconds(-1), -1_000_000_000),
            (.nanoseconds(-7), -7), (Duration(secondsComponent: 9, attosecondsComponent: 1_999_999_999), 9_000_000_001),
            (Duration(secondsComponent: 0, attosecondsComponent: -1), 0),
            (.seconds(9_223_372_036), 9_223_372_036_000_000_000),
            (.nanoseconds(Int64.max), .max), (.nanoseconds(Int64.min), .min), (.seconds(Int64.max), .max),
            (.seconds(10_000_000_000), .max), (.seconds(-10_000_000_000), .min), (.seconds(Int64.min), .min),
        ] as [(Duration, Int64)]
    )
    func wholeNanoseconds(duration: Duration, expected: Int64) {
        #expect(duration.wholeNanoseconds == expected)
    }

    @Test("a URI from text loses its fragment and nothing else")
    func parsingText() throws {
        #expect(try TargetURI(parsing: "http://a/b#c?d").text == "http://a/b")
        for bad in ["", "a", "/a", "http://", "http://a b/", "ftp://a/", "http://\u{e9}/", "#"] {
            #expect(throws: ParseError.self) { try TargetURI(parsing: bad) }
        }
    }

    @Test(
        "address literals",
        arguments: [
            ("127.0.0.1", .v4(0x7F00_0001)), ("255.255.255.255", .v4(.max)), ("[::1]", .v6(0, 1)),
            ("[::]", .v6(0, 0)), ("[1:2:3:4:5:6:7:8]", .v6(0x0001_0002_0003_0004, 0x0005_0006_0007_0008)),
            ("[fe80::a:B]", .v6(0xFE80_0000_0000_0000, 0x000A_000B)), ("[::ffff:1.2.3.4]", .v6(0, 0xFFFF_0102_0304)),
            ("[1::]", .v6(0x0001_0000_0000_0000, 0)), ("a.test", nil), ("127.0.0.01", nil), ("1.2.3", nil),
            ("1.2.3.4.5", nil), ("256.0.0.1", nil), ("[::1", nil), ("[1:2]", nil), ("[::1.2.3]", nil), ("", nil),
            ("[1.2.3.4]", nil), ("[1:2:3:4:5:6:7:1.2.3.4]", nil),
            ("[1:2:3:4:5:6:1.2.3.4]", .v6(0x0001_0002_0003_0004, 0x0005_0006_0102_0304)),
        ] as [(String, IPAddress?)]
    )
    func addresses(host: String, address: IPAddress?) { #expect(IPAddress(host: latin(host).span) == address) }

    @Test("an IPv4-mapped address is the address inside (H-063)")
    func mapped() {
        #expect(IPAddress(host: latin("[::ffff:127.0.0.1]").span)?.unmapped == .v4(0x7F00_0001))
        #expect(IPAddress(host: latin("[::127.0.0.1]").span)?.unmapped == .v6(0, 0x7F00_0001))
    }

    @Test("methods: safe, idempotent, bytes")
    func methods() {
        #expect([Method.get, .head, .options, .trace].allSatisfy { $0.isSafe && $0.isIdempotent })
        #expect([Method.put, .delete].allSatisfy { !$0.isSafe && $0.isIdempotent })
        #expect([Method.post, .patch, .connect, .other(latin("get"))].allSatisfy { !$0.isSafe && !$0.isIdempotent })
        for name in ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "get", "X"] {
            #expect(Method(name).text == name)
        }
        #expect(Method("GET") == .get)
        #expect(Method("get") == .other(latin("get")))
    }

    @Test("known fields are found by name in any case, and by nothing that only resembles one")
    func knownFieldNames() {
        for field in KnownField.allCases {
            #expect(KnownField(name: field.bytes.map(\.asciiLowercased)) == field)
            #expect(KnownField(name: field.bytes.map { $0 &- 0x61 < 26 ? $0 & 0xDF : $0 }) == field)
            // One bit less makes `-` a CR and digits controls.
            #expect(
                KnownField(name: field.bytes.map { $0 & 0xDF })
                    == (field.bytes.contains(0x2D) || field == .http2Settings ? nil : field)
            )
            #expect(KnownField(name: field.bytes + [0x73]) != field)
        }
        #expect(KnownField(name: []) == nil)
        #expect(KnownField(name: [UInt8](repeating: 0x61, count: 33)) == nil)
    }

    @Test("media types")
    func mediaTypes() throws {
        let type = try #require(MediaType(latin("Text/HTML ; Charset=\"utf-8\"; a=b;c;d=\"x;y\"")))
        #expect(text(type.essence) == "text/html")
        #expect(type.parameter("charset") == latin("utf-8"))
        #expect(type.parameter("D") == latin("x;y"))
        #expect(type.parameter("c") == nil)
        #expect(MediaType(latin("application/problem+json"))?.isJSON == true)
        for bad in ["", "text", "text/", "/html", "te xt/html", "text/html/x"] { #expect(MediaType(latin(bad)) == nil) }
    }

    @Test("Cache-Status members (C-24.1)")
    func cacheStatus() {
        #expect(CacheStatus(.hit, ttl: 60).text == "respite; hit; ttl=60")
        #expect(
            CacheStatus(.forwarded(.uriMiss), forwardStatus: 200, isStored: true, isCollapsed: true).text
                == "respite; fwd=uri-miss; fwd-status=200; stored; collapsed"
        )
        #expect(
            CacheStatus(.none, key: latin("http://a/\"\u{e9}"), detail: "only if cached").text
                == "respite; key=\"http://a/\\\"?\"; detail=\"only if cached\""
        )
        #expect(CacheStatus(.hit, detail: "offline").text == "respite; hit; detail=offline")
    }

    @Test(
        "a request asks for the key by name (C-24.1)",
        arguments: [
            ("respite; key", true), ("other; key, respite;key", true), ("respite; ttl; key", true), ("respite", false),
            ("other; key", false), ("respite; keys", false), ("key", false), ("", false),
        ]
    )
    func askedKey(value: String, isAsked: Bool) {
        var fields = Fields()
        fields.append(.cacheStatus, value)
        #expect(CacheStatus.asksForKey(fields) == isAsked)
    }

    @Test("Proxy-Status members (C-24.2)")
    func proxyStatus() {
        #expect(
            ProxyStatus(error: .httpRequestError, details: ParseError(.missingHost).userMessage).text
                == "respite; error=http_request_error; details=\"The Host field is missing.\""
        )
        #expect(
            ProxyStatus(error: .dnsError, nextHop: latin("a.test"), receivedStatus: 502).text
                == "respite; error=dns_error; next-hop=\"a.test\"; received-status=502"
        )
    }

    @Test("a problem document is ASCII JSON on one line, whatever is in it (H-108, H-159)")
    func problem() {
        let problem = ProblemDocument(
            status: 502,
            detail: "a\"b\\\r\n\u{1b}é😀",
            members: [.init("url", "http://a/")]
        )
        #expect(
            text(problem.json)
                == #"{"type":"about:blank","title":"Bad Gateway","status":502,"#
                + #""detail":"a\"b\\\u000d\u000a\u001b\u00e9\ud83d\ude00","url":"http://a/"}"# + "\n"
        )
    }

    @Test("every error has a sentence and a status for clients")
    func messages() {
        let codes: [ParseError.Code] = [
            .tooManyEmptyLines(limit: 8), .badMethod, .methodTooLong(limit: 32), .badRequestLine, .badTarget,
            .targetTooLong(limit: 1), .fragmentInTarget, .targetForm, .unsupportedScheme, .badAuthority, .missingPort,
            .badPrefix, .badVersion, .unsupportedVersion, .badStatusLine, .badReason, .bareLineFeed,
            .bareCarriageReturn,
            .leadingWhitespace, .foldedLine, .whitespaceInFieldName, .emptyFieldName, .badFieldName, .missingColon,
            .badFieldValue, .sectionTooLarge(limit: 1), .tooManyFields(limit: 1), .missingHost, .emptyHost, .badHost,
            .hostMismatch, .repeatedField(.range), .badConnection, .unknownExpectation, .badContentLength,
            .contentTooLarge(limit: 1), .badTransferEncoding, .unsupportedTransferCoding, .transferEncodingInHTTP10,
            .conflictingFraming, .contentInConnect, .badChunkSize, .chunkTooLarge, .badChunkExtension,
            .chunkExtensionTooLarge(limit: 1), .badChunkEnd, .trailersTooLarge(limit: 1), .tooManyTrailers(limit: 1),
            .incomplete,
        ]
        let sentences = codes.map { ParseError($0).userMessage }
        #expect(sentences.allSatisfy { $0.hasSuffix(".") && $0.count > 20 })
        #expect(Set(sentences).count == codes.count)
        #expect(codes.allSatisfy { (400...505).contains(ParseError($0).status) })
    }
}
