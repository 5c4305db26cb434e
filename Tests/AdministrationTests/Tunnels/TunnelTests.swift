import Administration
import Eventing
import Exchanges
import HTTPCore
import Platform
import ResourceCore
import Testing

/// `/v1/tunnels`.
@Suite struct TunnelTests {
    private static let admin = Result {
        try TestAdmin { source, _ in
            let now = source.service.table.environment.timekeeper.now
            source.tunnels.open = { limit in
                (1...3).prefix(limit).map { id in
                    TunnelStatistics(
                        id: id,
                        client: "192.0.2.1:4711",
                        target: "org.example:443",
                        route: "connect",
                        state: "far-ended",
                        bytesUp: 10,
                        bytesDown: 20,
                        began: now + .seconds(-65),
                        lastActivity: now + .seconds(-5)
                    )
                }
            }
            source.tunnels.totals = {
                var totals = TunnelTotals()
                (totals.open, totals.opened, totals.bytesUp, totals.bytesDown) = (3, 7, 100, 200)
                return totals
            }
        }
    }

    private static func ask(_ path: String) throws -> Answer {
        let admin = try admin.get()
        return try admin.send("GET", path, [admin.host, TestAdmin.bearer])
    }

    @Test("open tunnels are told with their ends, bytes, age and idle time, and totals of all")
    func listing() throws {
        let answer = try Self.ask("/v1/tunnels?limit=1")
        #expect(
            answer.text == """
                {"tunnels":[{"id":1,"client":"192.0.2.1:4711","target":"org.example:443","route":"connect",\
                "state":"far-ended","bytesUp":10,"bytesDown":20,"ageSeconds":65,"idleSeconds":5}],\
                "totals":{"open":3,"opened":7,"bytesUp":100,"bytesDown":200}}

                """
        )
    }

    @Test("without tunnels, all totals are 0")
    func noTunnels() throws {
        let admin = try TestAdmin()
        #expect(
            try admin.get("/v1/tunnels").text == """
                {"tunnels":[],"totals":{"open":0,"opened":0,"bytesUp":0,"bytesDown":0}}

                """
        )
    }

    @Test("with no room for more work, listings and changes of many are 503: no loop does it")
    func busy() throws {
        let full = try WorkerPool(count: 1, queueLimit: 0)
        defer { full.stop() }
        let admin = try TestAdmin { source, _ in source.workers = full }
        #expect(try admin.get("/v1/tunnels").status == 503)
        #expect(try admin.post("/v1/purge", "{\"filter\":\"**\"}").status == 503)
        #expect(try admin.post("/v1/purge", "{\"uri\":\"http://h.example/1\"}").status == 200)
    }

    @Test("without a limit all are told; the status has the totals; a wrong limit is 400")
    func limits() throws {
        #expect(try Self.ask("/v1/tunnels").text.contains("\"id\":3"))
        #expect(try Self.ask("/v1/status").text.contains("\"tunnels\":{\"open\":3,\"opened\":7,"))
        for query in ["limit=0", "limit=x", "other=1"] {
            #expect(try Self.ask("/v1/tunnels?\(query)").status == 400, "\(query)")
        }
    }
}
