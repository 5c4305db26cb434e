import Glibc
import RedisSupport
import TestSupport
import Testing

/// Several daemons behind which one Redis server is, which miss at the same time.
@Suite(.serialized)
struct SharedLeaseTests {
    private static let lasting = ["Cache-Control: max-age=600"]

    /// Asks in the background; the queue gets the response.
    private func ask(_ daemon: DaemonProcess, _ url: String, _ responses: WaitQueue<Response?>) {
        BackgroundThread { responses.push(try? daemon.get(url)) }
    }

    @Test(
        "nodes that miss at the same time ask the origin once; the others get the stored response",
        arguments: [4, 300_000]
    )
    func once(count: Int) throws {
        let redis = try RedisProcess()
        let gate = Gate()
        let body = String(repeating: "a", count: count)
        let origin = try ScriptedOrigin { exchange in
            try gate.wait("the test")
            try exchange.reply("200 OK", Self.lasting, body: body)
        }
        let daemons = try (0..<3).map { _ in try DaemonProcess.sharing(redis) }
        let responses = WaitQueue<Response?>()
        ask(daemons[0], origin.url("/"), responses)
        try origin.wait(for: 1, of: "/")
        for daemon in daemons.dropFirst() {
            ask(daemon, origin.url("/"), responses)
            try daemon.wait(for: "respite_shared_waits_total", 1)
        }
        #expect(try daemons[0].metric("respite_shared_leases") == 1)
        gate.open()
        var shared = 0
        for _ in daemons {
            let response = try #require(responses.pop() ?? nil)
            #expect(response.text == body)
            if response.cacheStatus.contains("detail=shared") { shared += 1 }
        }
        #expect(shared == 2 && origin.requests.count == 1)
        #expect(try daemons[0].metric("respite_shared_leases") == 0)
    }

    @Test("a response that may not be shared lets the others go at once; for a while nobody waits")
    func unshareable() throws {
        let redis = try RedisProcess()
        let gate = Gate()
        let origin = try ScriptedOrigin { exchange in
            if exchange.ordinal == 1 { try gate.wait("the test") }
            try exchange.reply("200 OK", ["Cache-Control: no-store"], body: "mine \(exchange.ordinal)")
        }
        let (one, two, three) = (
            try DaemonProcess.sharing(redis), try DaemonProcess.sharing(redis), try DaemonProcess.sharing(redis)
        )
        let (first, second) = (WaitQueue<Response?>(), WaitQueue<Response?>())
        ask(one, origin.url("/"), first)
        try origin.wait(for: 1, of: "/")
        ask(two, origin.url("/"), second)
        try two.wait(for: "respite_shared_waits_total", 1)
        gate.open()
        #expect(first.pop()??.text == "mine 1")
        #expect(second.pop()??.text == "mine 2")
        #expect(try three.get(origin.url("/")).text == "mine 3")
        #expect(try three.metric("respite_shared_waits_total") == 0)
    }

    @Test("a node that is killed while it loads: those that wait load after its lease's time")
    func killed() throws {
        let redis = try RedisProcess()
        let origin = try ScriptedOrigin { exchange in
            if exchange.ordinal == 1 { try Gate().wait("nothing", seconds: 30) }
            try exchange.reply("200 OK", Self.lasting, body: "x")
        }
        let (one, two) = (try DaemonProcess.sharing(redis), try DaemonProcess.sharing(redis))
        let (lost, responses) = (WaitQueue<Response?>(), WaitQueue<Response?>())
        ask(one, origin.url("/"), lost)
        try origin.wait(for: 1, of: "/")
        ask(two, origin.url("/"), responses)
        try two.wait(for: "respite_shared_waits_total", 1)
        one.command.send(signal: SIGKILL)
        #expect(responses.pop()??.text == "x")
        #expect(origin.requests.count == 2)
    }

    @Test("the server stops while a node waits: it goes on alone, and no request fails")
    func stopped() throws {
        let redis = try RedisProcess()
        let gate = Gate()
        let origin = try ScriptedOrigin { exchange in
            if exchange.ordinal == 1 { try gate.wait("the test") }
            try exchange.reply("200 OK", Self.lasting, body: "x")
        }
        let (one, two) = (try DaemonProcess.sharing(redis), try DaemonProcess.sharing(redis))
        let (first, second) = (WaitQueue<Response?>(), WaitQueue<Response?>())
        ask(one, origin.url("/"), first)
        try origin.wait(for: 1, of: "/")
        ask(two, origin.url("/"), second)
        try two.wait(for: "respite_shared_waits_total", 1)
        redis.end()
        #expect(second.pop()??.text == "x")
        gate.open()
        #expect(first.pop()??.text == "x")
    }

    @Test("a client that leaves while its node loads ends the lease: the next node loads without waiting for its end")
    func cancelled() throws {
        let redis = try RedisProcess()
        let origin = try ScriptedOrigin { exchange in
            if exchange.ordinal == 1 { try Gate().wait("nothing", seconds: 30) }
            try exchange.reply("200 OK", Self.lasting, body: "x")
        }
        let one = try DaemonProcess.sharing(redis, ["cache.fill-policy=abandon"])
        let two = try DaemonProcess.sharing(redis)
        var client: WireClient? = try one.client()
        try client?.send("GET", origin.url("/"), ["Host: \(origin.authority)"])
        try origin.wait(for: 1, of: "/")
        let responses = WaitQueue<Response?>()
        ask(two, origin.url("/"), responses)
        try two.wait(for: "respite_shared_waits_total", 1)
        client = nil
        #expect(responses.pop()??.text == "x")
        #expect(try one.metric("respite_shared_leases") == 0)
    }
}
