import JSON
import Settings
import Testing

@testable import Commands
@testable import Terminal

/// Each row of `respite status`, for people and for programs.
@Suite struct StatusRowsTests {
    /// Rows as `name|value`, with the colour of the value.
    private static func rows(_ status: String, _ title: String, isPlain: Bool = false) throws -> [String] {
        let sections = StatusSection.all(try JSONReader.parse(Array(status.utf8)))
        let section = try #require(sections.first { $0.title == title })
        return section.rows.map { row in
            let texts = row.map { isPlain ? $0.plain : $0.human }.joined(separator: "|")
            return texts + (row.last?.color.map { " [\($0)]" } ?? "")
        }
    }

    @Test("the sections have their order; that of the shared tier is there only where there is one")
    func sections() throws {
        func titles(_ status: String) throws -> [String] {
            StatusSection.all(try JSONReader.parse(Array(status.utf8))).map(\.title)
        }
        let usual = ["Daemon", "Connections", "Traffic", "Memory", "Store"]
        #expect(try titles("{}") == usual && titles(#"{"shared":{}}"#) == usual + ["Shared"])
    }

    @Test("the daemon: version, modes, what is down, addresses, warnings and interception")
    func daemon() throws {
        let status = """
            {"version":"1.2","uptimeSeconds":61,"mode":"auto","serviceModes":[{"name":"api","mode":"offline"}],\
            "outages":[{"origin":"http://d.example","since":"then","reason":"refused"}],"ready":true,"loops":2,\
            "listeners":["127.0.0.1:1","unix:/a"],"adminListeners":["127.0.0.1:2"],"remarks":["careful"],\
            "interception":{"hosts":["a.example","b.example"],\
            "refused":[{"host":"c.example","client":"10.0.0.1","secondsLeft":61}]}}
            """
        #expect(
            try Self.rows(status, "Daemon") == [
                "version|1.2", "uptime|1 min 1 s", "mode|auto", "mode of api|offline",
                "down|http://d.example since then: refused [33]", "ready|yes", "loops|2", "listen|127.0.0.1:1",
                "listen|unix:/a",
                "admin|127.0.0.1:2", "warning|careful [33]", "intercepted|a.example, b.example",
                "not intercepted|c.example: refused by 10.0.0.1, blind tunnels for 1 min 1 s [33]",
            ]
        )
        #expect(try Self.rows("{}", "Daemon") == ["version|-", "uptime|-", "mode|-", "ready|no", "loops|-"])
    }

    @Test("connections: of clients, to origins, and look-ups of names with what went wrong")
    func connections() throws {
        let status = """
            {"connections":1234,"upstream":{"connections":3,"idleConnections":2,"withoutReuse":\
            [{"origin":"http://o.example","secondsLeft":90}]},"names":{"underWay":1,"refused":2,"servers":\
            [{"address":"192.0.2.1:53","questions":4,"answers":3,"typicalMicroseconds":1499},\
            {"address":"192.0.2.2:53","questions":1,"answers":0,"typicalMicroseconds":1500,"complaint":"silent"}]}}
            """
        #expect(
            try Self.rows(status, "Connections") == [
                "of clients|1,234", "to origins|3, 2 of them idle",
                "not reused|http://o.example: sent more bytes than its responses announce; for 1 min 30 s more [33]",
                "name look-ups|1 in progress; 2 refused [33]",
                "name server|192.0.2.1:53: 3 of 4 questions answered, in 1 ms",
                "name server|192.0.2.2:53: 0 of 1 questions answered, in 2 ms", "warning|silent [33]",
            ]
        )
        #expect(
            try Self.rows(status, "Connections", isPlain: true).prefix(3) == [
                "connections|1234", "connections to origins|3, 2 of them idle",
                "connections not reused|http://o.example: sent more bytes than its responses announce; for 1 min 30 s more [33]",
            ]
        )
        let quiet = #"{"upstream":{"connections":0},"names":{"underWay":0,"refused":0}}"#
        #expect(
            try Self.rows(quiet, "Connections") == [
                "of clients|-", "to origins|0, 0 of them idle", "name look-ups|0 in progress",
            ]
        )
        #expect(try Self.rows("{}", "Connections") == ["of clients|-"])
    }

    @Test("traffic: counts, shares, bytes, tunnels and those that passed unread")
    func traffic() throws {
        let status = """
            {"resources":5,"traffic":{"requests":200,"hits":150,"bytesFromCache":2048,"bytesFromOrigins":1024,"tunnels":7},\
            "tunnels":{"open":1,"bytesUp":10,"bytesDown":20,"passed":[{"target":"a.example:443","tunnels":2},\
            {"target":"b.example:443","tunnels":1}]},"forwardListeners":["127.0.0.1:3128"]}
            """
        let advice =
            "3 tunnels to a.example:443, b.example:443 passed unread, so nothing of it is stored: http://127.0.0.1:3128/ "
            + "shows the form of each tool that gives hits, and `respite explain URL` says more about a URL"
        let human = try Self.rows(status, "Traffic")
        #expect(
            human == [
                "resources|5", "requests|200", "hits|150, 75 %", "from the cache|2.0 KiB", "from origins|1.0 KiB",
                "tunnels opened|7", "tunnels open|1", "sent by tunnels|10 B", "received by tunnels|20 B",
                "passed unread|a.example:443: 2 tunnels", "passed unread|b.example:443: 1 tunnel",
                "advice|\(advice) [33]",
            ]
        )
        #expect(
            try Self.rows(status, "Traffic", isPlain: true).prefix(9) == [
                "resources|5", "requests|200", "hits|150", "sent from the cache|2048", "sent from origins|1024",
                "tunnels opened|7", "tunnels open|1", "sent through tunnels|10", "received through tunnels|20",
            ]
        )
        #expect(try Self.rows("{}", "Traffic").count == 9)
    }

    @Test("memory: in use, its limit and budgets, with those that refused something")
    func memory() throws {
        let status = """
            {"memory":{"usedBytes":512,"limitBytes":1024,"residentBytes":4096},"budgets":[{"setting":"limits.a",\
            "usedBytes":1,"limitBytes":2,"refused":0},{"setting":"limits.b","usedBytes":3,"limitBytes":4,"refused":1},{}]}
            """
        #expect(
            try Self.rows(status, "Memory") == [
                "used|512 B, 50 %", "limit|1.0 KiB", "resident|4.0 KiB", "limits.a|1 B of 2 B",
                "limits.b|3 B of 4 B; 1 refused [33]", "-|0 B of 0 B",
            ]
        )
        #expect(
            try Self.rows(status, "Memory", isPlain: true).prefix(3) == [
                "memory used|512", "memory limit|1024", "memory resident|4096",
            ]
        )
    }

    @Test("the store: its state, sizes, counts and what waits")
    func store() throws {
        let status = """
            {"store":{"state":"full","reason":"no room","directory":"/d","usedBytes":1,"limitBytes":2,"entries":3,"hits":4,\
            "misses":5,"evictions":6,"damaged":7,"refused":8,"queued":9,"pendingInvalidations":10}}
            """
        let human = [
            "state|full: no room [33]", "directory|/d", "used|1 B, 50 %", "limit|2 B", "entries|3", "hits|4",
            "misses|5",
            "evictions|6", "damaged|7", "refused|8", "queued|9", "pending invalidations|10 [33]",
        ]
        #expect(try Self.rows(status, "Store") == human)
        #expect(
            try Self.rows(status, "Store", isPlain: true) == [
                "store|full: no room [33]", "store directory|/d", "store used|1", "store limit|2", "store entries|3",
                "store hits|4", "store misses|5", "store evictions|6", "store damaged|7", "store refused|8",
                "store queued|9", "store pending invalidations|10 [33]",
            ]
        )
        #expect(
            try Self.rows("{}", "Store") == ["state|none"] && Self.rows(#"{"store":{}}"#, "Store") == ["state|none"]
        )
    }

    @Test("the shared tier: its server, its state, look-ups and purges")
    func shared() throws {
        let status = """
            {"shared":{"server":"r:1","hits":3,"misses":1,"following":true,"purgesReceived":5,"purgesSent":6,"waits":7,\
            "lostLeases":8,"failures":9,"skipped":10,"stored":11,"refused":12,"broken":13}}
            """
        #expect(
            try Self.rows(status, "Shared") == [
                "server|r:1", "state|ok [32]", "hits|3, 75 %", "purges|5 from others, 6 sent", "waits|7",
                "lost leases|8",
                "failures|9", "skipped|10", "stored|11", "refused|12", "broken|13",
            ]
        )
        let down = try Self.rows(#"{"shared":{"reason":"down"}}"#, "Shared", isPlain: true)
        #expect(
            down == [
                "shared server|-", "shared state|down [33]", "shared hits|-", "shared purges|not heard now [33]",
                "shared waits|-", "shared lost leases|-", "shared failures|-", "shared skipped|-", "shared stored|-",
                "shared refused|-", "shared broken|-",
            ]
        )
    }
}
