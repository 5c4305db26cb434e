import HTTPCore
import Observability
import ResourceCore
import TestSupport
import Testing

@testable import Proxying

/// The traces of requests: what origins get, and which spans there are.
@Suite struct TracingTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00f067aa0ba902b7"
    private static let field = "traceparent: 00-\(trace)-\(parent)-01"
    private static let state = "tracestate: a=1,b=2"

    private static func origin() -> RecordingOrigin {
        TestOrigin.answering { _ in response("200 OK", "Cache-Control: max-age=60", content: "hello") }
    }

    /// A proxy that traces, and where its spans go.
    private struct Traced {
        let queue = SpanQueue()
        let proxy: TestProxy

        init(sample: Double = 1, chance: Double = 0.5) throws {
            let queue = queue
            proxy = try TestProxy {
                $0.options.tracing = Tracing(queue: queue, sample: sample)
                $0.chance = { chance }
            }
        }

        /// The spans of all requests that have been answered.
        func spans() -> [TracedSpan] {
            // The loop has recorded them before it answers this.
            _ = proxy.recentRequests()
            return queue.takeBatch()
        }
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("without telemetry, traceparent and tracestate pass unchanged, valid or not, on loads and past the store")
    func off() throws {
        let origin = Self.origin()
        let proxy = try TestProxy()
        for (number, value) in ["00-\(Self.trace)-\(Self.parent)-01", "nonsense"].enumerated() {
            for method in ["GET", "POST"] {
                let reply = proxy.perform(method, origin.url("/\(number)"), "traceparent: \(value)", Self.state)
                #expect(reply?.status == 200)
                #expect(origin.requests.last?["traceparent"] == [value])
                #expect(origin.requests.last?["tracestate"] == ["a=1,b=2"])
            }
        }
        #expect(proxy.ask(origin.url("/none"))?.status == 200)
        #expect(origin.requests.last?["traceparent"] == [])
    }

    @Test("a miss has a span in the client's trace and a load below it, whose context the origin gets; a hit has one")
    func missAndHit() throws {
        let origin = Self.origin()
        let traced = try Traced()
        for _ in 0..<2 { #expect(traced.proxy.ask(origin.url("/x"), Self.field, Self.state)?.status == 200) }
        let spans = traced.spans()
        try #require(spans.map(\.kind) == [.client, .server, .server])
        let (load, miss, hit) = (spans[0], spans[1], spans[2])
        #expect(spans.allSatisfy { Self.text($0.context.traceText) == Self.trace && Self.text($0.state) == "a=1,b=2" })
        #expect([miss, hit].allSatisfy { $0.parent == 0x00F0_67AA_0BA9_02B7 } && load.parent == miss.context.span)
        #expect(Set(spans.map(\.context.span)).count == 3 && spans.allSatisfy { $0.link == nil && $0.failure == nil })
        #expect(spans.allSatisfy { $0.status == 200 && Self.text($0.target) == origin.url("/x") })
        #expect([miss, hit].map { "\($0.server?.outcome ?? "")" } == ["miss", "hit"])
        #expect(miss.server?.notes.reason == "uri-miss" && miss.server?.client == .v4(0x7F00_0001))
        #expect(load.start >= miss.start && load.end <= miss.end)
        // The origin continues the load's span.
        #expect(origin.requests.count == 1)
        #expect(origin.requests[0]["traceparent"] == [Self.text(load.context.field)])
        #expect(origin.requests[0]["tracestate"] == ["a=1,b=2"])
    }

    @Test("a request without a trace begins one by chance; a trace that is not recorded passes as it came")
    func sampling() throws {
        let origin = Self.origin()
        for (sample, chance, isTraced) in [(1, 0.99, true), (0.5, 0.4, true), (0.5, 0.6, false), (0, 0, false)]
            as [(Double, Double, Bool)]
        {
            let traced = try Traced(sample: sample, chance: chance)
            #expect(traced.proxy.ask(origin.url("/x"))?.status == 200)
            let spans = traced.spans()
            #expect(spans.map(\.kind) == (isTraced ? [.client, .server] : []))
            #expect(spans.last?.parent == nil)
            #expect(origin.requests.last?["traceparent"].count == (isTraced ? 1 : 0))
            // The client decides about its own.
            #expect(traced.proxy.ask(origin.url("/y"), Self.field)?.status == 200)
            #expect(traced.spans().count == 2)
            let unrecorded = "00-\(Self.trace)-\(Self.parent)-00"
            #expect(traced.proxy.ask(origin.url("/z"), "traceparent: \(unrecorded)")?.status == 200)
            #expect(traced.spans().isEmpty && origin.requests.last?["traceparent"] == [unrecorded])
        }
    }

    @Test("an invalid traceparent begins a new trace, and its tracestate goes no further")
    func invalid() throws {
        let origin = Self.origin()
        let traced = try Traced()
        let broken = "traceparent: 00-\(Self.trace)-0000000000000000-01"
        for fields in [[broken, Self.state], [Self.field, Self.field, Self.state]] {
            let request = traced.proxy.request("GET", origin.url("/\(fields.count)"), fields)
            #expect(traced.proxy.reader().ask(request)?.status == 200)
            let spans = traced.spans()
            #expect(spans.count == 2 && spans.allSatisfy { Self.text($0.context.traceText) != Self.trace })
            #expect(origin.requests.last?["traceparent"] == [Self.text(try #require(spans.first).context.field)])
            #expect(origin.requests.last?["tracestate"] == [])
        }
    }

    @Test("a request that joins a load links to its span, and the origin got the context of the one that began it")
    func collapsed() throws {
        let (asked, go) = (WaitQueue<String>(), WaitQueue<Void>())
        let origin = TestOrigin { peer, _ in
            while let head = peer.readHead() {
                asked.push(OriginRequestText(head)["traceparent"].first ?? "")
                peer.send("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 10\r\n\r\nhello")
                _ = go.pop()
                peer.send("world")
            }
        }
        let traced = try Traced()
        let request = traced.proxy.request("GET", "http://127.0.0.1:\(origin.port)/x")
        let clients = (0..<2).map { _ in traced.proxy.client() }
        clients[0].send(request)
        let sent = try #require(asked.pop())
        clients[1].send(request)
        // The loop reads in the order in which bytes came.
        for _ in 0..<2 { #expect(traced.proxy.ask("/")?.status == 200) }
        go.push(())
        for client in clients { #expect(ReplyReader(client).next()?.content == "helloworld") }
        let spans = traced.spans().filter { Self.text($0.target) != "/" }
        let load = try #require(spans.first { $0.kind == .client })
        let outcomes = spans.filter { $0.kind == .server }.map { "\($0.server?.outcome ?? "")" }
        #expect(Set(outcomes) == ["miss", "collapsed"] && spans.count == 3)
        let joined = try #require(spans.first { "\($0.server?.outcome ?? "")" == "collapsed" })
        let leader = try #require(spans.first { "\($0.server?.outcome ?? "")" == "miss" })
        #expect(joined.link == load.context && leader.link == nil)
        #expect(load.parent == leader.context.span && sent == Self.text(load.context.field))
        #expect(joined.context.traceText != leader.context.traceText)
    }

    @Test("requests past the store, refused ones and those that fail have spans with what became of them")
    func others() throws {
        let origin = Self.origin()
        let traced = try Traced()
        #expect(traced.proxy.perform("POST", origin.url("/x"), content: "abc")?.status == 200)
        #expect(traced.proxy.ask("http://169.254.169.254/secret")?.status == 403)
        let closed = try unusedPort()
        #expect(traced.proxy.ask("http://127.0.0.1:\(closed)/")?.status == 502)
        let spans = traced.spans()
        let servers = spans.filter { $0.kind == .server }
        #expect(servers.map { "\($0.server?.outcome ?? "")" } == ["pass", "refused", "error"])
        #expect(servers.map(\.status) == [200, 403, 502] && servers.first?.server?.requestBytes == 3)
        let loads = spans.filter { $0.kind == .client }
        #expect(loads.first?.status == 200 && loads.last?.failure == "connection_refused")
    }

    @Test("a load that nobody waits for any more ends its span")
    func abandoned() throws {
        let asked = WaitQueue<Void>()
        let origin = TestOrigin { peer, _ in
            while peer.readHead() != nil { asked.push(()) }
        }
        let traced = try Traced()
        var client: RawClient? = traced.proxy.client()
        client?.send(traced.proxy.request("POST", "http://127.0.0.1:\(origin.port)/x", content: "abc"))
        _ = asked.pop()
        client = nil
        #expect(traced.proxy.drain())
        let spans = traced.spans()
        #expect(spans.map(\.kind) == [.client, .server] && spans.first?.failure == "cancelled")
    }

    @Test("a request that gets no response, or not all of one, has a span that says so")
    func incomplete() throws {
        let origin = TestOrigin.answering { _ in
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 10\r\n\r\nhello"
        }
        let traced = try Traced()
        #expect(traced.proxy.perform("POST", origin.url("/x"), content: "abc") == nil)
        traced.proxy.service.reconfigure { list in
            list.actsOnRequests = true
            list.defaults.traffic.fault = TrafficRules.Fault(.reset, share: 1)
        }
        #expect(traced.proxy.ask(origin.url("/y")) == nil)
        let spans = traced.spans().filter { $0.kind == .server }
        #expect(spans.map(\.status) == [200, 0])
        #expect(spans.map(\.failure) == ["incomplete_response", "no_response"])
    }

    @Test("a WebSocket has its 101 in both spans, which end with it")
    func upgrade() throws {
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
            _ = peer.readAll()
        }
        let traced = try Traced()
        let fields = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version: 13",
        ]
        let client = traced.proxy.client()
        client.send(traced.proxy.request("GET", "http://127.0.0.1:\(origin.port)/chat", fields))
        #expect(client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 101 "))
        let spans = traced.spans()
        #expect(spans.map(\.kind) == [.client, .server] && spans.map(\.status) == [101, 101])
        #expect(spans.allSatisfy { $0.failure == nil } && spans.last?.server.map { "\($0.outcome)" } == "upgrade")
    }

    @Test("tracing goes on and off with the options")
    func options() throws {
        let origin = Self.origin()
        let queue = SpanQueue()
        let proxy = try TestProxy()
        func count(_ tracing: Tracing?) throws -> Int {
            proxy.change { $0.tracing = tracing }
            for _ in 0..<2 { #expect(proxy.ask(origin.url("/x"))?.status == 200) }
            _ = proxy.recentRequests()
            return queue.takeBatch().count
        }
        #expect(try count(nil) == 0)
        #expect(try count(Tracing(queue: queue, sample: 1)) == 2)
        #expect(try count(nil) == 0)
    }
}
