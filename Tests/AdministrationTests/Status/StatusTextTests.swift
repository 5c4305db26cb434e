@testable import Administration
@testable import Eventing
import Exchanges
import HTTPCore
import Testing

/// The whole text of the status.
@Suite struct StatusTextTests {
    @Test("a daemon that has done nothing yet has every figure at 0, and names nothing that it does not have")
    func untouched() throws {
        #expect(
            try TestAdmin(hasStore: false).get("/v1/status").text == """
                {"version":"1.2.3","uptimeSeconds":0,"mode":"auto","serviceModes":[],"outages":[],"ready":true,"loops":1,\
                "listeners":[],"forwardListeners":[],"adminListeners":[],"remarks":[],"rules":[],"connections":0,\
                "resources":0,"upstream":{"connections":0,"idleConnections":0,"waiting":0,"withoutReuse":[]},\
                "names":{"underWay":0,"refused":0,"servers":[]},"traffic":{"requests":0,"hits":0,"loads":0,"passes":0,\
                "failures":0,"refused":0,"tunnels":0,"bytesFromCache":0,"bytesFromOrigins":0},\
                "savings":{"requests":0,"bytes":0},"tunnels":{"open":0,"opened":0,"bytesUp":0,"bytesDown":0,"passed":[]},\
                "memory":{"usedBytes":0,"limitBytes":0,"entries":0},"budgets":[],"store":null}

                """
        )
    }

    @Test("store, shared server and interception that have done nothing have every figure at 0")
    func idleParts() throws {
        let text = try TestAdmin { source, _ in
            source.store = { StoreUsage(state: "ok") }
            source.shared = { SharedUsage(server: "s.example:6379", reason: nil) }
            source.interception = { InterceptionStatistics() }
        }.get("/v1/status").text
        for part in [
            #""interception":{"hosts":[],"passThrough":[],"authority":"","fingerprint":"","connections":0,"failures":0,"#
                + #""minted":0,"refused":[]},"#,
            #""shared":{"server":"s.example:6379","hits":0,"misses":0,"failures":0,"skipped":0,"waits":0,"leases":0,"#
                + #""lostLeases":0,"following":false,"purgesSent":0,"purgesReceived":0,"resets":0,"stored":0,"#
                + #""refused":0,"broken":0},"#,
            #""store":{"state":"ok","entries":0,"usedBytes":0,"limitBytes":0,"compressed":{"entries":0,"#
                + #""contentBytes":0,"storedBytes":0},"shared":{"bodies":0,"savedBytes":0},"hits":0,"misses":0,"#
                + #""evictions":0,"damaged":0,"refused":0,"queued":0,"pendingInvalidations":0,"#
                + #""longestWriteMicroseconds":0,"longestLookUpMicroseconds":0}}"#,
        ] as [String] {
            #expect(text.contains(part), "\(part)")
        }
    }

    private static var usage: SharedUsage {
        var usage = SharedUsage(server: "s.example:6379", reason: "it is away")
        (usage.hits, usage.misses, usage.failures, usage.skipped, usage.waits) = (1, 2, 3, 4, 5)
        (usage.leases, usage.lostLeases, usage.isFollowing, usage.announcements) = (6, 7, true, 8)
        (usage.purges, usage.resets, usage.stored, usage.refused, usage.broken) = (9, 10, 11, 12, 13)
        return usage
    }

    private static var names: NameStatistics {
        var slow = NameServerStatistics(address: .ip(.v4(0xC000_0235), port: 53))
        (slow.questions, slow.answers, slow.timeouts, slow.typicalTime) = (7, 6, 1, .milliseconds(600))
        let new = NameServerStatistics(address: .ip(.v4(0xC000_0236), port: 53))
        return NameStatistics(underWay: 2, refused: 3, servers: [slow, new])
    }

    @Test("what the shared server, name servers and time saved say stands under its name")
    func figures() throws {
        let text = try TestAdmin { source, _ in
            source.started = source.service.table.environment.timekeeper.now + .seconds(-65)
            source.shared = { Self.usage }
            source.names = { Self.names }
            source.traffic = {
                var traffic = TrafficStatistics()
                traffic.savedTime = .microseconds(1_234_567)
                return traffic
            }
            source.adminListeners = [.ip(.v4(0x7F00_0001), port: 3129)]
        }.get("/v1/status").text
        for part in [
            #""uptimeSeconds":65,"#, #""adminListeners":["127.0.0.1:3129"],"#, #""savedMilliseconds":1234}"#,
            #""names":{"underWay":2,"refused":3,"servers":[{"address":"192.0.2.53:53","questions":7,"answers":6,"#
                + #""timeouts":1,"typicalMicroseconds":600000,"#
                + #""complaint":"name server 192.0.2.53:53 is slow: an answer takes 600 ms"},"#
                + #"{"address":"192.0.2.54:53","questions":0,"answers":0,"timeouts":0}]},"#,
            #""shared":{"server":"s.example:6379","reason":"it is away","hits":1,"misses":2,"failures":3,"skipped":4,"#
                + #""waits":5,"leases":6,"lostLeases":7,"following":true,"purgesSent":8,"purgesReceived":9,"#
                + #""resets":10,"stored":11,"refused":12,"broken":13},"#,
        ] as [String] {
            #expect(text.contains(part), "\(part)")
        }
    }

    @Test("a daemon whose start lies ahead of the clock has run for no time")
    func started() throws {
        let admin = try TestAdmin { source, _ in
            source.started = source.service.table.environment.timekeeper.now + .seconds(5)
        }
        #expect(try admin.json("/v1/status")["uptimeSeconds"]?.integer == 0)
    }

    @Test("the history has a series for each step, and every figure in the column of its name")
    func history() throws {
        let admin = try TestAdmin { source, _ in
            source.history.record(History.Sample())
            var sample = History.Sample()
            sample.time = MonotonicTime(nanoseconds: 5_999_999_999)
            (sample.traffic.hits, sample.traffic.loads, sample.traffic.passes) = (1, 2, 3)
            (sample.traffic.failures, sample.traffic.refused) = (4, 5)
            (sample.traffic.cachedBytes, sample.traffic.originBytes) = (6, 7)
            (sample.memory, sample.store, sample.connections) = (8, 9, 10)
            source.history.record(sample)
        }
        #expect(
            try admin.get("/v1/history").text == """
                {"now":1000,"columns":["seconds","hits","loads","passes","failures","refused","bytesFromCache",\
                "bytesFromOrigins","memoryBytes","storeBytes","connections"],"series":[{"stepSeconds":5,\
                "samples":[[0,0,0,0,0,0,0,0,0,0,0],[5,1,2,3,4,5,6,7,8,9,10]]},\
                {"stepSeconds":60,"samples":[[0,0,0,0,0,0,0,0,0,0,0]]},\
                {"stepSeconds":600,"samples":[[0,0,0,0,0,0,0,0,0,0,0]]}]}

                """
        )
    }

    @Test("what the daemon does not set has the values that its documents name")
    func options() {
        let options = AdminOptions(token: [1], addresses: [], hosts: ["Cache.EXAMPLE"])
        #expect(options.hosts == [Array("cache.example".utf8)] && options.readToken.isEmpty)
        #expect(options.contentLimit == 1 << 20 && options.overrideLimit == 16 << 20 && options.contentDepth == 64)
        #expect(options.keptEvents == 8192 && options.recentRequests == 0)
        #expect(options.heartbeat == .seconds(15) && options.progressInterval == .milliseconds(200))
    }
}
