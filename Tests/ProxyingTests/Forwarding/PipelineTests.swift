import Dispatch
import HTTPCore
import Proxying
import ResourceCore
import Testing
import Transforms
import TestSupport

/// Clients of a pipeline, over real sockets.
@Suite struct PipelineTests {
    private static func proxy(_ steps: PipelineStep...) throws -> TestProxy {
        try TestProxy { setup in
            for step in steps { setup.service.pipeline.add(step, to: .model) }
        }
    }

    private static func suffix(_ suffix: String = "!") -> Rewriting {
        Rewriting("suffix", suffix) { $0 + Array(suffix.utf8) }
    }

    private static var redaction: Rewriting {
        var redact = Rewriting("redact", "s") { bytes throws(TransformFailure) in
            if bytes.contains(0x21) { throw TransformFailure(.invalidContent, "line 1, column 7") }
            return bytes.map { $0 == 0x73 ? 0x78 : $0 }
        }
        redact.isRedaction = true
        return redact
    }

    // MARK: Conditions and ranges

    @Test("conditions and ranges are judged against the derived response, which has a tag of its own")
    func derived() throws {
        let origin = TestOrigin.answering { _ in
            response(
                "200 OK",
                "Cache-Control: max-age=60",
                "ETag: \"a\"",
                "Last-Modified: Sat, 01 Jan 2000 00:00:00 GMT",
                "Content-MD5: x",
                content: "abc"
            )
        }
        let proxy = try Self.proxy(PipelineStep(Self.suffix()))
        let url = origin.url("/")
        // A Range is not asked of the origin: the whole derived response is right.
        let first = try #require(proxy.ask(url, "Range: bytes=0-1", "If-Range: \"a\""))
        #expect(first.status == 200)
        #expect(first.content == "abc!")
        #expect(origin.requests.first?["Range"] == [])
        #expect(origin.requests.first?["If-Range"] == [])
        #expect(first["Content-Length"] == ["4"])
        #expect(first["Last-Modified"] == [])
        #expect(first["Content-MD5"] == [])
        let tag = try #require(first["ETag"].first)
        #expect(tag.hasPrefix("\"a-"))
        #expect(proxy.ask(url, "If-None-Match: \(tag)")?.status == 304)
        #expect(proxy.ask(url, "If-None-Match: \"a\"")?.status == 200)
        let part = try #require(proxy.ask(url, "Range: bytes=2-"))
        #expect(part.status == 206)
        #expect(part.content == "c!")
        #expect(part["Content-Range"] == ["bytes 2-3/4"])
        let hit = try #require(proxy.ask(url))
        #expect(hit.isHit)
        #expect(hit.content == "abc!")
        #expect(hit["Content-Length"] == ["4"])
        let head = try #require(proxy.perform("HEAD", url))
        #expect(head["Content-Length"] == ["4"])
        #expect(head["ETag"] == [tag])
        #expect(origin.requests.count == 1)
    }

    @Test("a HEAD that nothing answers is forwarded and loses what the pipeline would change")
    func head() throws {
        let origin = TestOrigin.answering { _ in
            "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nLast-Modified: Sat, 01 Jan 2000 00:00:00 GMT\r\nContent-Length: 3\r\n\r\n"
        }
        let proxy = try Self.proxy(PipelineStep(Self.suffix()))
        let reply = try #require(proxy.perform("HEAD", origin.url("/")))
        #expect(reply.status == 200)
        #expect(reply["Content-Length"] == [])
        #expect(reply["Last-Modified"] == [])
        #expect(reply["ETag"].first?.hasPrefix("\"a-") == true)
    }

    @Test("derived tags in If-Match become the origin's")
    func ifMatch() throws {
        let origin = TestOrigin.answering { request in
            response(
                "200 OK",
                "Cache-Control: max-age=60",
                "ETag: \"a\"",
                content: request.method == "GET" ? "abc" : ""
            )
        }
        let proxy = try Self.proxy(PipelineStep(Self.suffix()))
        let tag = try #require(proxy.ask(origin.url("/"))?["ETag"].first)
        _ = proxy.perform("PUT", origin.url("/"), "If-Match: \(tag), \"z\"", content: "new")
        #expect(origin.requests.last?["If-Match"] == ["\"a\", \"z\""])
    }

    // MARK: Past the core

    @Test("responses that pass the core are transformed, framed anew and streamed", arguments: ["POST", "GET"])
    func passed(_ method: String) throws {
        let origin = TestOrigin.answering { _ in response("200 OK", "Cache-Control: max-age=60", content: "abc") }
        let proxy = try Self.proxy(PipelineStep(Self.suffix()))
        let reply = try #require(
            proxy.perform(method, origin.url("/"), "Cache-Control: no-store", content: method == "POST" ? "x" : "")
        )
        #expect(reply.content == "abc!")
        #expect(reply["Content-Length"] == ["4"] || reply["Transfer-Encoding"] == ["chunked"])
    }

    @Test("steps for other methods leave a POST alone")
    func methods() throws {
        let origin = TestOrigin.answering { _ in response(content: "abc") }
        let proxy = try Self.proxy(PipelineStep(Self.suffix(), methods: [.get]))
        #expect(proxy.perform("POST", origin.url("/"), content: "x")?.content == "abc")
    }

    // MARK: Failures

    @Test("a failing transformer is a 502 that names stage, transformer and cause; the original stays")
    func failure() throws {
        let origin = TestOrigin.answering { _ in
            response("200 OK", "Cache-Control: max-age=60", "ETag: \"a\"", content: "abc")
        }
        let broken = Rewriting("json validate", "1") { _ throws(TransformFailure) in
            throw TransformFailure(.invalidContent, "line 1, column 2: a value is missing")
        }
        let proxy = try Self.proxy(PipelineStep(broken))
        for _ in 0..<2 {
            let reply = try #require(proxy.ask(origin.url("/")))
            #expect(reply.status == 502)
            #expect(reply["Content-Type"] == ["application/problem+json"])
            #expect(reply.cacheStatus.contains("transform-failed"))
            for part in ["\"stage\":\"model\"", "\"transformer\":\"json validate\"", "line 1, column 2"] {
                #expect(reply.content.contains(part))
            }
        }
        proxy.service.configuration.pipeline = Pipeline()
        #expect(proxy.ask(origin.url("/"))?.content == "abc")
        #expect(origin.requests.count == 1)
    }

    @Test(
        "a redacted text reaches no client, whatever the request, the status and the route past the core",
        arguments: [
            ("GET", "Range: bytes=0-3"), ("GET", "Cache-Control: no-store"), ("GET", "Accept: text/event-stream"),
            ("GET", "If-Match: \"a\""), ("POST", "X: y"), ("GET", "Cache-Control: no-transform"),
        ]
    )
    func redacted(_ method: String, _ field: String) throws {
        let origin = TestOrigin.answering { request in
            switch request.target {
            case "/error": response("500 Oops", "Cache-Control: max-age=60", content: "secret")
            case "/part": response("206 Partial Content", "Content-Range: bytes 0-5/9", content: "secret")
            case "/coded": response("200 OK", "Content-Encoding: compress", content: "secret")
            case "/bad": response("200 OK", "Cache-Control: max-age=60", content: "secret!")
            default: response("200 OK", "Cache-Control: max-age=60", "ETag: \"a\"", content: "secret")
            }
        }
        let proxy = try Self.proxy(PipelineStep(Self.redaction))
        for path in ["/", "/error", "/part", "/coded", "/bad", "/"] {
            let reply = try #require(
                proxy.perform(method, origin.url(path), field, content: method == "POST" ? "x" : "")
            )
            #expect(!reply.content.contains("sec"), "\(path)")
            if path == "/part" || path == "/coded" || path == "/bad" { #expect(reply.status == 502, "\(path)") }
        }
        #expect(origin.requests.allSatisfy { $0["Range"].isEmpty })
    }

    @Test("where something is redacted no WebSocket is opened, which nothing could redact")
    func noUpgrade() throws {
        let origin = TestOrigin.answering { request in
            response("200 OK", content: "secret \(request["Upgrade"].joined())")
        }
        let handshake = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version: 13",
        ]
        let proxy = try Self.proxy(PipelineStep(Self.redaction))
        let reply = proxy.reader().ask(proxy.request("GET", origin.url("/"), handshake))
        #expect(reply?.content == "xecret ")
        let other = try Self.proxy(PipelineStep(Self.suffix()))
        _ = other.reader().ask(other.request("GET", origin.url("/"), handshake))
        #expect(origin.requests.map { $0["Upgrade"] } == [[], ["websocket"]])
    }

    @Test("transformers know our own host for requests by prefix, with a service's credential too")
    func gatewayHost() throws {
        let origin = TestOrigin.answering { _ in response("200 OK", content: "abc") }
        let base = try TargetURI(parsing: origin.url("/"))
        let proxy = try TestProxy { setup in
            setup.service.pipeline.add(PipelineStep(HostNaming()), to: .model)
            setup.options.services = [
                ServiceRoute(
                    name: "api",
                    base: base,
                    injected: [(Array("Authorization".utf8), Array("t".utf8))],
                    injectsEverywhere: true
                )
            ]
        }
        let target = "/" + origin.url("/")
        #expect(proxy.ask(target)?.content == "127.0.0.1:\(proxy.port)")
        #expect(proxy.perform("POST", target, content: "x")?.content == "127.0.0.1:\(proxy.port)")
        #expect(proxy.ask(origin.url("/"))?.content == "")
    }

    // MARK: Loops

    @Test("while a transformer works the loop serves others")
    func otherURLs() throws {
        let origin = TestOrigin.answering { request in
            response(
                "200 OK",
                "Cache-Control: max-age=60",
                "Content-Type: text/\(request.target.dropFirst())",
                content: "abc"
            )
        }
        let (begun, mayEnd) = (WaitQueue<Int>(), DispatchSemaphore(value: 0))
        let slow = Rewriting("slow", "1") { bytes in
            begun.push(1)
            mayEnd.wait()
            return bytes + Array("!".utf8)
        }
        let proxy = try Self.proxy(
            PipelineStep(slow, contentTypes: [try #require(MediaTypePattern("text/slow"))])
        )
        // Given a hit to come, and a transformer at work
        _ = proxy.ask(origin.url("/plain"))
        let client = proxy.reader()
        let waiting = proxy.client()
        waiting.send(proxy.request("GET", origin.url("/slow")))
        #expect(begun.pop() != nil)
        // Then the hit is served meanwhile
        #expect(client.ask(proxy.request("GET", origin.url("/plain")))?.isHit == true)
        // And the other after it.
        mayEnd.signal()
        #expect(ReplyReader(waiting).next()?.content == "abc!")
    }
}

/// Puts the Host it is told in the place of the content.
private struct HostNaming: StreamingTransformer {
    let name = "host"
    let fingerprint = "1"

    func variation(for request: Fields) -> String { request.text(of: .host) ?? "" }

    func begin(
        _ head: inout EntityHead,
        _ context: TransformContext
    ) throws(TransformFailure) -> (any ContentFilter)? {
        let host = context.request.value(of: .host) ?? []
        return WholeContent(limits: context.limits) { _ in host }
    }
}

/// Rewrites the whole content.
struct Rewriting: StreamingTransformer {
    let name: String
    let fingerprint: String
    var isRedaction = false
    let dependsOnRequest = false
    private let body: @Sendable ([UInt8]) throws(TransformFailure) -> [UInt8]

    init(
        _ name: String,
        _ fingerprint: String,
        _ body: @escaping @Sendable ([UInt8]) throws(TransformFailure) -> [UInt8]
    ) {
        self.name = name
        self.fingerprint = fingerprint
        self.body = body
    }

    var needsDecodedContent: Bool { isRedaction }

    func begin(
        _ head: inout EntityHead,
        _ context: TransformContext
    ) throws(TransformFailure) -> (any ContentFilter)? {
        let body = body
        return WholeContent(limits: context.limits) { span throws(TransformFailure) in
            try body([UInt8](copying: span))
        }
    }
}
