import HTTPCore
import HTTPServer
import Proxying
import Testing
import UpstreamClient
import TestSupport

/// `text/event-stream` over real sockets (C-24.5).
@Suite struct EventStreamTests {
    /// An origin that sends an event each time it is told to.
    private static func origin(_ tick: WaitQueue<String>, ended: WaitQueue<Bool> = WaitQueue()) -> TestOrigin {
        TestOrigin { peer, _ in
            guard peer.readHead() != nil else { return }
            peer.send(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: max-age=600\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n"
            )
            while let event = tick.pop(), !event.isEmpty {
                let text = "data: \(event)\n\n"
                guard peer.send("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n") else { break }
            }
            ended.push(peer.hasEnded())
        }
    }

    @Test(
        "events arrive one by one on every route, whatever the client accepts",
        arguments: ["forward", "prefix", "gateway", "service path", "service host"],
        ["Accept: text/event-stream", "Accept: */*"]
    )
    func oneByOne(route: String, accept: String) throws {
        let tick = WaitQueue<String>()
        let origin = Self.origin(tick)
        let base = try TargetURI(parsing: "http://127.0.0.1:\(origin.port)")
        let proxy = try TestProxy { setup in
            if route == "gateway" {
                setup.options.gateway = GatewayBase(base)
                setup.options.answersToEveryName = true
            }
            setup.options.services = [ServiceRoute(name: "api", base: base)]
        }
        let (target, host) =
            switch route {
            case "forward": ("http://127.0.0.1:\(origin.port)/e", "Host: 127.0.0.1:\(origin.port)")
            case "prefix": ("/http://127.0.0.1:\(origin.port)/e", "Host: localhost:\(proxy.port)")
            case "gateway": ("/e", "Host: any.example")
            case "service path": ("/api/e", "Host: localhost:\(proxy.port)")
            default: ("/e", "Host: api.localhost:\(proxy.port)")
            }
        let client = proxy.client()
        client.send(proxy.request("GET", target, [host, accept]))
        #expect(client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        for event in ["one", "two", "three"] {
            // The next is sent only when this one has come.
            tick.push(event)
            #expect(client.receive(until: "\n\n\r\n").hasSuffix("data: \(event)\n\n\r\n"))
        }
        tick.push("")
    }

    @Test("each client has a stream of its own, and nothing of it is stored")
    func notShared() throws {
        let tick = WaitQueue<String>()
        let origin = Self.origin(tick)
        let proxy = try TestProxy()
        let clients = (1...3).map { _ in proxy.client() }
        for client in clients { client.send(proxy.request("GET", "http://127.0.0.1:\(origin.port)/e")) }
        for client in clients { #expect(client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 ")) }
        #expect(origin.connections == 3)
        for _ in clients { tick.push("") }
    }

    @Test("a quiet stream outlives the limits for responses and idle connections")
    func quiet() throws {
        let tick = WaitQueue<String>()
        let origin = Self.origin(tick)
        let stalling = TestOrigin { peer, _ in
            guard peer.readHead() != nil else { return }
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbeg")
            _ = peer.hasEnded()
        }
        let proxy = try TestProxy { setup in
            setup.upstream.idleTimeout = .milliseconds(50)
            setup.upstream.eventStreamIdleTimeout = .seconds(3600)
            setup.server.idleTimeout = .milliseconds(50)
            setup.server.sendTimeout = .milliseconds(50)
        }
        let client = proxy.client()
        client.send(proxy.request("GET", "http://127.0.0.1:\(origin.port)/e"))
        #expect(client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        // What began later has come to its limits: a response, and a connection without a request.
        let response = proxy.client()
        response.send(proxy.request("GET", "http://127.0.0.1:\(stalling.port)/"))
        let rest = response.receiveAll()
        #expect(rest.text.hasSuffix("\r\n\r\nbeg") && rest.end != .timeout)
        #expect(proxy.client().receiveAll().end == .end)
        tick.push("late")
        #expect(client.receive(until: "\n\n\r\n").hasSuffix("data: late\n\n\r\n"))
        tick.push("")
    }

    @Test("a quiet stream ends by its own limit")
    func ownLimit() throws {
        let tick = WaitQueue<String>()
        let origin = Self.origin(tick)
        let proxy = try TestProxy { setup in
            setup.upstream.idleTimeout = .milliseconds(50)
            setup.upstream.eventStreamIdleTimeout = .milliseconds(100)
        }
        let client = proxy.client()
        client.send(proxy.request("GET", "http://127.0.0.1:\(origin.port)/e"))
        let stream = client.receiveAll()
        #expect(stream.text.hasPrefix("HTTP/1.1 200 ") && stream.end != .timeout)
        #expect(!stream.text.hasSuffix("0\r\n\r\n"))
        tick.push("")
    }

    @Test("a client that leaves closes its stream at the origin at once", arguments: ["text/event-stream", "*/*"])
    func leaving(accept: String) throws {
        let tick = WaitQueue<String>()
        let ended = WaitQueue<Bool>()
        let origin = Self.origin(tick, ended: ended)
        // No limit ends it.
        let proxy = try TestProxy { setup in
            setup.upstream.idleTimeout = .seconds(3600)
            setup.upstream.eventStreamIdleTimeout = .seconds(3600)
        }
        do {
            let client = proxy.client()
            client.send(proxy.request("GET", "http://127.0.0.1:\(origin.port)/e", ["Accept: \(accept)"]))
            tick.push("one")
            #expect(client.receive(until: "\n\n\r\n").contains("data: one"))
            client.resetOnClose()
        }
        tick.push("")
        #expect(ended.pop() == true)
    }
}
