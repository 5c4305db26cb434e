import Administration
import Eventing
import Exchanges
import HTTPCore
import ResourceCore
import Testing

/// `/v1/status`.
@Suite struct StatusTests {
    @Test("requests are the hits, loads, bypasses, failures and refusals, but not the tunnels")
    func requests() {
        var traffic = TrafficStatistics()
        #expect(traffic.requests == 0)
        (traffic.hits, traffic.loads, traffic.passes, traffic.failures, traffic.refused) = (1, 2, 4, 8, 16)
        (traffic.tunnels, traffic.cachedBytes, traffic.originBytes) = (32, 64, 128)
        #expect(traffic.requests == 31)
    }

    @Test("the time saved is that of as many loads, without the hits' own; without a hit or a load it is unknown")
    func savedTime() {
        var traffic = TrafficStatistics()
        traffic.reckonSavedTime(hits: 10, .milliseconds(5), loads: 4, .milliseconds(400))
        #expect(traffic.savedTime == .milliseconds(995))
        traffic.reckonSavedTime(hits: 1, .seconds(9), loads: 1, .seconds(1))
        #expect(traffic.savedTime == .zero)
        for (hits, loads) in [(0, 1), (1, 0)] {
            traffic.reckonSavedTime(hits: hits, .zero, loads: loads, .zero)
            #expect(traffic.savedTime == nil)
        }
    }

    @Test("each part of the status has its figures under their names")
    func parts() throws {
        let admin = try TestAdmin { source, _ in Self.fill(&source) }
        let text = try admin.get("/v1/status").text
        for part in Self.parts { #expect(text.contains(part), "\(part)") }
        #expect(text.contains(#""loops":3,"listeners":["127.0.0.1:1","unix:/a"],"forwardListeners":["127.0.0.1:1"],"#))
        #expect(text.contains(#""connections":9,"resources":0,"#))
        #expect(text.contains(#""remarks":["mind this"],"rules":["pip=https://index.example/"],"#))
    }

    private static let parts = [
        #""serviceModes":[{"name":"b","mode":"offline"}],"#,
        #""upstream":{"connections":1,"idleConnections":2,"waiting":3,"#
            + #""withoutReuse":[{"origin":"http://a.example","secondsLeft":4}]},"#,
        #""traffic":{"requests":31,"hits":1,"loads":2,"passes":4,"failures":8,"refused":16,"tunnels":32,"#
            + #""bytesFromCache":64,"bytesFromOrigins":128},"#,
        #""savings":{"requests":5,"bytes":6,"since":"Sun, 06 Nov 1994 08:49:37 GMT"},"#,
        #""tunnels":{"open":2,"opened":1,"bytesUp":3,"bytesDown":4,"#
            + #""passed":[{"target":"t.example:443","tunnels":20}]},"#,
        #""interception":{"hosts":["*.example"],"passThrough":["p.example"],"authority":"CA","fingerprint":"AB","#
            + #""connections":1,"failures":2,"minted":3,"refused":[{"host":"h:443","client":"192.0.2.1","#
            + #""secondsLeft":4,"refusals":5,"tunnels":6}]},"#,
        #""memory":{"usedBytes":1,"limitBytes":2,"entries":3,"residentBytes":4},"#,
        #""budgets":[{"setting":"limits.a","usedBytes":1,"limitBytes":2,"refused":3}],"#,
        #""store":{"state":"full","reason":"no space","directory":"/d","entries":1,"usedBytes":2,"limitBytes":3,"#
            + #""compressed":{"entries":13,"contentBytes":14,"storedBytes":15},"shared":{"bodies":16,"savedBytes":17},"#
            + #""hits":4,"misses":5,"evictions":6,"damaged":7,"refused":8,"queued":9,"pendingInvalidations":10,"#
            + #""longestWriteMicroseconds":11,"longestLookUpMicroseconds":12}"#,
    ]

    static func fill(_ source: inout AdminSource) {
        source.loops = 3
        source.listeners = ["127.0.0.1:1", "unix:/a"]
        source.forwardListeners = { ["127.0.0.1:1"] }
        source.warnings = { ["mind this"] }
        source.presets = { ["pip=https://index.example/"] }
        source.connections = { 9 }
        source.modes = ModeSource(
            general: { .online },
            services: { [("a", nil), ("b", .offline)] },
            choose: { _, _ in false }
        )
        source.upstream = {
            var upstream = OriginConnectionStatistics()
            (upstream.connections, upstream.idle, upstream.waiting) = (1, 2, 3)
            upstream.withoutReuse = [("http://a.example", 4)]
            return upstream
        }
        source.traffic = {
            var traffic = TrafficStatistics()
            (traffic.hits, traffic.loads, traffic.passes, traffic.failures, traffic.refused) = (1, 2, 4, 8, 16)
            (traffic.tunnels, traffic.cachedBytes, traffic.originBytes) = (32, 64, 128)
            return traffic
        }
        source.savings = {
            var savings = SavingsStatistics()
            (savings.requests, savings.bytes, savings.since) = (5, 6, HTTPDate(seconds: 784_111_777))
            return savings
        }
        source.tunnels.totals = {
            var totals = TunnelTotals()
            (totals.opened, totals.open, totals.bytesUp, totals.bytesDown) = (1, 2, 3, 4)
            return totals
        }
        source.tunnels.passed = { [("t.example:443", $0)] }
        source.interception = { interception }
        source.memory = {
            var memory = MemoryUsage()
            (memory.used, memory.limit, memory.entries, memory.resident) = (1, 2, 3, 4)
            return memory
        }
        source.budgets = { [BudgetStatistics(setting: "limits.a", used: 1, limit: 2, refused: 3)] }
        source.store = { store }
    }

    private static var interception: InterceptionStatistics {
        var found = InterceptionStatistics()
        (found.hosts, found.passThrough, found.authority, found.fingerprint) = (
            ["*.example"], ["p.example"], "CA", "AB"
        )
        (found.connections, found.failures, found.minted) = (1, 2, 3)
        found.refused = [
            InterceptionStatistics.PassThrough(
                host: "h:443",
                client: "192.0.2.1",
                secondsLeft: 4,
                refusals: 5,
                tunnels: 6
            )
        ]
        return found
    }

    private static var store: StoreUsage {
        var store = StoreUsage(state: "full", reason: "no space")
        (store.directory, store.entries, store.used, store.limit) = ("/d", 1, 2, 3)
        store.compressed = CompressedContent(entries: 13, content: 14, bytes: 15)
        store.shared = SharedBodies(bodies: 16, bytes: 17)
        (store.hits, store.misses, store.evictions, store.damaged, store.refused) = (4, 5, 6, 7, 8)
        (store.queued, store.pendingInvalidations, store.longestWrite, store.longestLookUp) = (9, 10, 11, 12)
        return store
    }
}
