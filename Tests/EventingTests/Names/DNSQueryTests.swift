import HTTPCore
import Platform
import Testing

@testable import Eventing

/// One look-up at name servers.
@Suite struct DNSQueryTests {
    private typealias Reply = FakeNameServer.Reply

    /// What came of a look-up.
    private struct Found: Sendable {
        var addresses: [IPAddress] = []
        var timeToLive: Duration?
        var error: NameError?
        /// Whether it was told within the call that began the look-up.
        var isAtOnce = false
    }

    private static func look(
        _ name: String,
        _ configuration: ResolverConfiguration,
        limit: Duration = .seconds(20),
        counters: NameServerCounters = NameServerCounters()
    ) async throws -> Found {
        try await onLoop { loop, outcome in
            var hasBegun = false
            let query = DNSQuery(loop: loop, configuration: configuration, counters: counters)
            query.start(name, limit: limit) { answer in
                var result = Found(isAtOnce: !hasBegun)
                switch answer {
                case .success(let found): (result.addresses, result.timeToLive) = (found.addresses, found.timeToLive)
                case .failure(let error): result.error = error
                }
                outcome.succeed(result)
            }
            hasBegun = true
        }
    }

    private static func configuration(_ server: FakeNameServer) -> ResolverConfiguration {
        var configuration = ResolverConfiguration()
        configuration.servers = [server.address]
        // No question is repeated, however slow the machine is.
        configuration.tryTime = .seconds(60)
        return configuration
    }

    @Test("the shortest lifetime of all records holds, and an address that comes twice is one")
    func lifetimes() async throws {
        let server = try FakeNameServer { name, isV6 in
            if isV6 { return name == "both.example" ? Reply(v6: [(5, 6)], timeToLive: 30) : Reply() }
            return Reply(v4: [7, 7], timeToLive: 60)
        }
        let both = try await Self.look("both.example", Self.configuration(server))
        #expect(Set(both.addresses) == [.v4(7), .v6(5, 6)] && both.addresses.count == 2)
        #expect(both.timeToLive == .seconds(30) && both.error == nil && !both.isAtOnce)
        let one = try await Self.look("one.example", Self.configuration(server))
        #expect(one.addresses == [.v4(7)] && one.timeToLive == .seconds(60))
    }

    @Test("a look-up that nobody answers ends at its limit, and is reported as a time-out")
    func limit() async throws {
        let server = try FakeNameServer { _, _ in nil }
        let configuration = Self.configuration(server)
        let result = try await Self.look("slow.example", configuration, limit: .milliseconds(50))
        #expect(result.error == .timeout && result.addresses.isEmpty && server.asked.count <= 1)
    }

    @Test("with `use-vc` all questions go by TCP, which says nothing of a server's datagrams")
    func tcp() async throws {
        let server = try FakeNameServer { _, isV6 in isV6 ? Reply() : Reply(v4: [7]) }
        var configuration = Self.configuration(server)
        configuration.usesTCP = true
        let counters = NameServerCounters()
        counters.keep(configuration.servers)
        let result = try await Self.look("a.example", configuration, counters: counters)
        #expect(result.addresses == [.v4(7)] && server.questionsByTCP == 2 && server.asked == ["a.example"])
        #expect(counters.statistics.map(\.questions) == [0])
        let datagrams = try await Self.look("b.example", Self.configuration(server), counters: counters)
        #expect(datagrams.addresses == [.v4(7)] && server.questionsByTCP == 2)
        #expect(counters.statistics.map(\.questions) == [2] && counters.statistics.map(\.answers) == [2])
    }

    @Test(
        "a name with fewer dots than configured is asked for within the domains first",
        arguments: [(1, "a.b"), (2, "a.b.x.example")]
    )
    func dots(dots: Int, expected: String) async throws {
        let server = try FakeNameServer { _, isV6 in isV6 ? Reply() : Reply(v4: [7]) }
        var configuration = Self.configuration(server)
        configuration.domains = ["x.example"]
        configuration.dots = dots
        #expect(try await Self.look("a.b", configuration).addresses == [.v4(7)])
        #expect(server.asked == [expected])
    }

    @Test("servers that cannot be asked are reported as a failure, but not at once")
    func unusableServers() async throws {
        var configuration = ResolverConfiguration()
        configuration.servers = [.unix(path: "/run/none")]
        let result = try await Self.look("a.example", configuration)
        #expect(result.error == .failed && !result.isAtOnce)
    }

    @Test("a look-up that was ended tells nothing, and is released")
    func ended() async throws {
        final class Watch {
            weak var query: DNSQuery?
            var isTold = false
        }
        let server = try FakeNameServer { _, _ in nil }
        let configuration = Self.configuration(server)
        let (isTold, isReleased): (Bool, Bool) = try await onLoop { loop, outcome in
            let watch = Watch()
            func begin() {
                let query = DNSQuery(loop: loop, configuration: configuration, counters: NameServerCounters())
                watch.query = query
                query.start("slow.example", limit: .seconds(20)) { _ in watch.isTold = true }
                query.end()
            }
            begin()
            loop.schedule(after: .milliseconds(1)) { outcome.succeed((watch.isTold, watch.query == nil)) }
        }
        #expect(!isTold && isReleased)
    }
}
