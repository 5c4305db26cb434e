import Eventing
import Glibc
import HTTPCore
import HTTPServer
import Observability
import ResourceCore
import Testing
import TestSupport

@testable import Proxying

/// The path of a hit: what it answers, and what it leaves alone.
@Suite struct FastPathTests {
    /// A table that holds what an origin sent for `/x`, and a fast path over it.
    private struct Prepared {
        let proxy: TestProxy
        let origin: RecordingOrigin
        let path: FastPath
        let metrics = ProxyMetrics(in: MetricsRegistry())
        var hits: Counter { metrics.hits }
        /// Bytes of content, and responses by the first digit of their status.
        var counts: [Int] { [metrics.cachedBytes.value] + metrics.responses.map(\.value) }

        /// - Parameter answer: what the origin answers to the one request.
        init(_ answer: String, requestFields: [String] = []) throws {
            origin = TestOrigin.answering { _ in answer }
            proxy = try TestProxy()
            let target = origin.url("/x")
            let reply = proxy.reader().ask(proxy.request("GET", target, requestFields))
            try #require(reply != nil)
            path = FastPath(router: try router(), service: proxy.service, metrics: metrics)
        }

        var stored: StoredResponse? {
            get throws {
                let uri = try TargetURI(parsing: origin.url("/x"))
                return proxy.service.table.find(uri)?.latestResponse
            }
        }

        /// What is answered so many seconds after the response came; nil if nothing is.
        func answer(
            _ line: String,
            _ fields: [String] = [],
            after seconds: Int64 = 0,
            closes: Bool = false
        ) throws -> Reply? {
            let line = line.replacing("ORIGIN", with: "127.0.0.1:\(origin.port)")
            let request = try head(line, ["Host: 127.0.0.1:3128"] + fields)
            let receivedAt = try stored?.receivedAt ?? MonotonicTime.now
            var output: [UInt8] = []
            let now = receivedAt + .seconds(seconds)
            switch path.answer(request, now: now, date: HTTPDate.now, closes: closes, into: &output) {
            case .unhandled:
                #expect(output.isEmpty)
                return nil
            case .answered: break
            case .answeredWithBody(let body): output += body.bytes
            case .answeredWithFile(let region):
                var content = [UInt8](repeating: 0, count: region.count)
                #expect(pread(region.descriptor, &content, region.count, off_t(region.offset)) == region.count)
                output += content
            }
            let parts = String(decoding: output, as: UTF8.self).split(separator: "\r\n\r\n", maxSplits: 1)
            return Reply(head: "\(parts[0])\r\n", content: parts.count > 1 ? String(parts[1]) : "")
        }
    }

    private static let plain = response("200 OK", "Cache-Control: max-age=60", "ETag: \"1\"", content: "hello")
    private static let get = "GET http://ORIGIN/x HTTP/1.1"

    @Test("a plain fresh response is answered whole, with Age, Via and Cache-Status")
    func hit() throws {
        let prepared = try Prepared(Self.plain)
        let reply = try #require(try prepared.answer(Self.get, after: 7))
        #expect(reply.status == 200)
        #expect(reply.content == "hello")
        #expect(reply["Content-Length"] == ["5"])
        #expect(reply["Age"] == ["7"])
        #expect(reply["Via"] == ["1.1 respite-test"])
        #expect(reply["Cache-Status"].count == 1)
        #expect(reply.isHit && reply.cacheStatus.contains("ttl=53"), "\(reply)")
        #expect(reply["Connection"] == [])
        #expect(reply["Date"].count == 1)
        #expect(prepared.hits.value == 1 && prepared.counts == [5, 0, 1, 0, 0, 0])
    }

    @Test("GET and HEAD with Content-Length: 0, as Java's HttpClient sends them, are hits (H-048)")
    func emptyContent() throws {
        let prepared = try Prepared(Self.plain)
        let target = prepared.origin.url("/x")
        for method in ["GET", "HEAD"] {
            let reader = prepared.proxy.reader()
            let reply = try #require(reader.ask(prepared.proxy.request(method, target, ["Content-Length: 0"])))
            #expect(reply.status == 200 && reply.isHit, "\(method): \(reply)")
        }
        #expect(try prepared.answer(Self.get, ["Content-Length: 0"])?.isHit == true)
        // Only the first request, which filled the store, went there.
        #expect(prepared.origin.requests.count == 1)
    }

    @Test("Age and lifetime count what the origin's Age says (RFC 9111 §4.2.3)")
    func ageOfOrigin() throws {
        let prepared = try Prepared(response("200 OK", "Cache-Control: max-age=60", "Age: 20", content: "hello"))
        let reply = try #require(try prepared.answer(Self.get, after: 10))
        #expect(reply["Age"] == ["30"])
        #expect(reply.cacheStatus.contains("ttl=30"))
        #expect(try prepared.answer(Self.get, after: 39) != nil)
        #expect(try prepared.answer(Self.get, after: 40) == nil)
    }

    @Test("an age equal to the lifetime is stale (RFC 9111 §4.2)")
    func stale() throws {
        let prepared = try Prepared(Self.plain)
        #expect(try prepared.answer(Self.get, after: 59) != nil)
        #expect(try prepared.answer(Self.get, after: 60) == nil)
        #expect(prepared.hits.value == 1)
    }

    @Test("the last response of a connection says close (H-087)")
    func closes() throws {
        let reply = try Prepared(Self.plain).answer(Self.get, closes: true)
        #expect(reply?["Connection"] == ["close"])
    }

    @Test("a larger body goes by reference, unaltered")
    func largeBody() throws {
        let content = String(repeating: "0123456789", count: 2000)
        let prepared = try Prepared(response("200 OK", "Cache-Control: max-age=60", content: content))
        #expect(try prepared.answer(Self.get)?.content == content)
    }

    @Test(
        "a request that asks for something special wants a decision",
        arguments: [
            "Cache-Control: no-cache", "Pragma: no-cache", "Range: bytes=0-1", "If-Match: \"1\"",
            "If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT", "If-Range: \"1\"", "Expect: 100-continue",
            "Via: 1.1 other",
        ]
    )
    func special(field: String) throws {
        #expect(try Prepared(Self.plain).answer(Self.get, [field]) == nil)
    }

    @Test(
        "a condition that holds is answered 304 with the fields RFC 9110 §15.4.5 lists, and counts as a hit",
        arguments: [
            "If-None-Match: \"1\"", "If-None-Match: W/\"1\"", "If-None-Match: \"0\", \"1\"", "If-None-Match: *",
            "If-Modified-Since: Sun, 06 Nov 2094 08:49:37 GMT",
        ]
    )
    func notModified(field: String) throws {
        let answer = response(
            "200 OK",
            "Cache-Control: max-age=60",
            "ETag: \"1\"",
            "Content-Type: text/plain",
            "X-More: 1",
            content: "hello"
        )
        let prepared = try Prepared(answer)
        for seconds in [3, 4] as [Int64] {
            let reply = try #require(try prepared.answer(Self.get, [field], after: seconds))
            #expect(reply.status == 304)
            #expect(reply.content.isEmpty)
            #expect(reply["ETag"] == ["\"1\""])
            #expect(reply["Cache-Control"] == ["max-age=60"])
            #expect(reply["Date"].count == 1)
            #expect(reply["Age"] == ["\(seconds)"])
            #expect(reply["Via"] == ["1.1 respite-test"])
            #expect(reply.isHit && reply.cacheStatus.contains("ttl=\(60 - seconds)"), "\(reply)")
            for name in ["Content-Length", "Content-Type", "X-More"] { #expect(reply[name] == [], "\(name)") }
        }
        #expect(prepared.hits.value == 2 && prepared.counts == [0, 0, 0, 2, 0, 0])
    }

    @Test(
        "a condition that does not hold is answered with the whole (RFC 9110 §13.2.2)",
        arguments: [
            ["If-None-Match: \"2\""], ["If-None-Match: 1"], ["If-None-Match:"], ["If-None-Match: \"2\", *"],
            ["If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT"], ["If-Modified-Since: yesterday"],
            ["If-None-Match: \"2\"", "If-Modified-Since: Sun, 06 Nov 2094 08:49:37 GMT"],
        ]
    )
    func modified(fields: [String]) throws {
        let reply = try #require(try Prepared(Self.plain).answer(Self.get, fields))
        #expect(reply.status == 200)
        #expect(reply.content == "hello")
    }

    @Test("conditions concern responses with status 200 alone")
    func conditionOfError() throws {
        let prepared = try Prepared(
            response("404 Not Found", "Cache-Control: max-age=60", "ETag: \"1\"", content: "none")
        )
        #expect(try prepared.answer(Self.get, ["If-None-Match: \"1\""])?.status != 304)
    }

    @Test("other methods want a decision", arguments: ["HEAD", "POST", "OPTIONS", "get"])
    func otherMethods(method: String) throws {
        #expect(try Prepared(Self.plain).answer("\(method) http://ORIGIN/x HTTP/1.1") == nil)
    }

    @Test("what everybody may have is answered to holders of credentials too")
    func credentials() throws {
        let prepared = try Prepared(Self.plain)
        #expect(try prepared.answer(Self.get, ["Authorization: Basic YTpi", "Cookie: a=b"])?.content == "hello")
    }

    @Test("what came for a credential is answered to nobody here (C-20.1, H-113)")
    func partition() throws {
        let prepared = try Prepared(Self.plain, requestFields: ["Authorization: Basic YTpi"])
        #expect(try prepared.answer(Self.get) == nil)
        #expect(try prepared.answer(Self.get, ["Authorization: Basic YTpi"]) == nil)
    }

    @Test("a variant of the credential's own comes before everybody's (C-20.1b)")
    func ownVariantFirst() throws {
        let prepared = try Prepared(Self.plain, requestFields: ["Authorization: Basic YTpi"])
        #expect(prepared.proxy.ask(prepared.origin.url("/x"))?.isHit == false)
        #expect(try prepared.answer(Self.get, ["Authorization: Basic YTpi"]) == nil)
    }

    @Test("a response with Vary wants a decision (C-4.1)")
    func vary() throws {
        let prepared = try Prepared(
            response("200 OK", "Cache-Control: max-age=60", "Vary: Accept-Language", content: "hello")
        )
        #expect(try prepared.answer(Self.get) == nil)
    }

    @Test(
        "what must be validated or is not stored is not answered",
        arguments: ["no-cache, max-age=60", "no-store", "private"]
    )
    func directives(directive: String) throws {
        #expect(
            try Prepared(response("200 OK", "Cache-Control: \(directive)", content: "hello")).answer(Self.get) == nil
        )
    }

    @Test("an invalidated response is not answered (RFC 9111 §4.4)")
    func invalidated() throws {
        let prepared = try Prepared(Self.plain)
        let uri = try TargetURI(parsing: prepared.origin.url("/x"))
        prepared.proxy.service.resource(for: uri).invalidate()
        #expect(try prepared.answer(Self.get) == nil)
    }

    @Test("another URL is another resource (H-013, H-116)")
    func otherURL() throws {
        let prepared = try Prepared(Self.plain)
        for target in [
            "http://ORIGIN/x?", "http://ORIGIN/X", "http://ORIGIN//x", "http://ORIGIN/%78", "https://ORIGIN/x",
        ] {
            #expect(try prepared.answer("GET \(target) HTTP/1.1") == nil, "\(target)")
        }
    }

    @Test("a prefixed request is the same hit, unless references must be rewritten")
    func prefixed() throws {
        let line = "GET /http://ORIGIN/x HTTP/1.1"
        #expect(try Prepared(Self.plain).answer(line)?.content == "hello")
        for field in ["Location: /y", "Content-Location: /y", "Alt-Svc: h3=\":443\"", "WWW-Authenticate: Bearer"] {
            let prepared = try Prepared(response("200 OK", "Cache-Control: max-age=60", field, content: "hello"))
            #expect(try prepared.answer(line) == nil, "\(field)")
            #expect(try prepared.answer(Self.get) != nil, "\(field)")
        }
    }

    @Test("connection fields of the origin's response are not in a hit (H-072)")
    func hopByHop() throws {
        let prepared = try Prepared(
            response(
                "200 OK",
                "Cache-Control: max-age=60",
                "Connection: keep-alive, X-Hop",
                "X-Hop: 1",
                "Keep-Alive: timeout=5",
                "Proxy-Authenticate: Basic",
                "X-Kept: 1",
                content: "hello"
            )
        )
        let reply = try #require(try prepared.answer(Self.get))
        for name in ["Connection", "X-Hop", "Keep-Alive", "Proxy-Authenticate"] {
            #expect(reply[name] == [], "\(name)")
        }
        #expect(reply["X-Kept"] == ["1"])
    }
}
