import Administration
import EntityStorage
import Eventing
import HTTPCore
import HTTPServer
import Observability
import Platform
import Settings
import TestSupport
import Testing

@testable import Daemon
@testable import Proxying
@testable import UpstreamClient

/// What the admin API gets of settings, counters and registries.
@Suite struct AdministratingTests {
    @Test("tokens, names, secrets and limits of the admin API are those of the settings and their files")
    func options() throws {
        let directory = TemporaryDirectory()
        var settings = DaemonSettings()
        settings.storage.directory = .directory(directory.path)
        settings.adminReadTokenFile = try directory.write("the-token-of-readers\n", to: "reader")
        settings.adminHosts = ["Cache.Example"]
        settings.adminRecentRequests = 7
        settings.log.secretParameters = ["sig"]
        settings.limits.jsonSize = ByteCount(bytes: 801)
        settings.limits.jsonDepth = 9
        let paths = DaemonPaths(settings, context: ProcessContext(environment: [:], isRoot: false))
        let administration = try Administrating(settings, paths: paths, sockets: [], hasOwnSocket: false, log: .silent)
        defer { administration.stop() }
        let options = administration.options(settings)
        #expect(options.token.count == 43 && contents(directory.path("admin-token")) == options.token + [0x0A])
        #expect(options.readToken == Array("the-token-of-readers".utf8) && administration.warnings.isEmpty)
        #expect(options.hosts == [Array("cache.example".utf8)] && options.addresses.isEmpty)
        #expect(options.secrets.redacted(Array("/?sig=1&token=2".utf8)) == Array("/?sig=…&token=2".utf8))
        #expect(options.recentRequests == 7 && options.contentLimit == 801 && options.contentDepth == 9)
        settings.adminReadTokenFile = directory.path("none")
        administration.reload(settings)
        #expect(administration.options(settings).readToken.isEmpty && administration.warnings.count == 1)
        settings.adminReadTokenFile = nil
        administration.reload(settings)
        #expect(administration.options(settings).readToken.isEmpty && administration.warnings.isEmpty)
    }

    @Test("files are looked at on a thread of their own; once that has ended none is, and the caller hears so at once")
    func restoring() throws {
        let directory = TemporaryDirectory()
        var settings = DaemonSettings()
        settings.storage.directory = .directory(directory.path)
        let paths = DaemonPaths(settings, context: ProcessContext(environment: [:], isRoot: false))
        let administration = try Administrating(settings, paths: paths, sockets: [], hasOwnSocket: false, log: .silent)
        // Whether each check has found that files had to be made again; nil: it found nothing.
        let found = SharedValue<[Bool?]>([])
        func check() { administration.restoreFiles { change in found.update { $0.append(change?.isRepair) } } }
        check()
        try found.wait("the first check") { $0.count == 1 ? () : nil }
        try directory.write("the-second-token-of-admin\n", to: "admin-token")
        check()
        try found.wait("the second check") { $0.count == 2 ? () : nil }
        administration.stop()
        try directory.write("the-third-token-of-admin\n", to: "admin-token")
        check()
        #expect(found.current == [nil, true, nil])
        #expect(administration.options(settings).token == Array("the-second-token-of-admin".utf8))
    }

    @Test("each counter of the proxy is in the traffic under its name, and hits and their bytes are what was saved")
    func traffic() {
        let metrics = ProxyMetrics(in: MetricsRegistry(), loops: 1)
        metrics.hits.add(1)
        metrics.misses.add(2)
        metrics.passes.add(4)
        metrics.failures.add(8)
        metrics.refusals.add(16)
        metrics.cachedBytes.add(32)
        metrics.originBytes.add(64)
        _ = metrics.tunnels.add(.unix(path: ""), to: Array("a.example:443".utf8), by: .connect, at: Self.time)
        metrics.durations(.hit).observe(nanoseconds: 5_000_000, times: 10)
        metrics.durations(.miss).observe(nanoseconds: 100_000_000, times: 4)
        var expected = TrafficStatistics()
        (expected.hits, expected.loads, expected.passes, expected.failures, expected.refused) = (1, 2, 4, 8, 16)
        (expected.cachedBytes, expected.originBytes, expected.tunnels) = (32, 64, 1)
        expected.savedTime = .milliseconds(950)
        #expect(TrafficStatistics(metrics) == expected)
        #expect(Savings(metrics) == Savings(requests: 1, bytes: 32))
    }

    private static let time = MonotonicTime(nanoseconds: 5_000_000_000)

    @Test("tunnels are those of the registry, a client of a Unix socket by that name")
    func tunnels() {
        let registry = TunnelRegistry()
        let client = SocketAddress.ip(.v4(0xC000_0201), port: 4711)
        for (peer, target, route) in [
            (client, "a.example:443", .connect), (.unix(path: ""), "b.example:1", .socks),
            (client, "a.example:443", .connect), (client, "c.example:80", .websocket),
        ] as [(SocketAddress, String, TunnelRecord.Route)] {
            _ = registry.add(peer, to: Array(target.utf8), by: route, at: Self.time)
        }
        let source = TunnelSource(registry)
        func told(_ id: Int, _ client: String, _ target: String, _ route: String) -> TunnelStatistics {
            TunnelStatistics(
                id: id,
                client: client,
                target: target,
                route: route,
                state: "open",
                bytesUp: 0,
                bytesDown: 0,
                began: Self.time,
                lastActivity: Self.time
            )
        }
        #expect(
            source.open(9) == [
                told(1, "192.0.2.1:4711", "a.example:443", "connect"), told(2, "unix", "b.example:1", "socks"),
                told(3, "192.0.2.1:4711", "a.example:443", "connect"),
                told(4, "192.0.2.1:4711", "c.example:80", "websocket"),
            ]
        )
        #expect(source.open(1).map(\.id) == [1])
        let totals = source.totals()
        #expect(totals.open == 4 && totals.opened == 4 && totals.bytesUp == 0 && totals.bytesDown == 0)
        #expect(source.passed(9).map { "\($0.target) \($0.count)" } == ["a.example:443 2", "b.example:1 1"])
    }

    @Test("connections to origins are counted by their state, and bans have their whole seconds")
    func upstream() {
        var statistics = OriginLimiter.Statistics()
        (statistics.connections, statistics.idle, statistics.waiting) = (1, 2, 3)
        statistics.bans = [ReuseBan(origin: "http://a.example", remaining: .milliseconds(4_900))]
        let upstream = OriginConnectionStatistics(statistics)
        #expect(upstream.connections == 1 && upstream.idle == 2 && upstream.waiting == 3)
        #expect(upstream.withoutReuse.map { "\($0.origin) \($0.seconds)" } == ["http://a.example 4"])
    }
}
