import Configurations
import Eventing
import Exchanges
import HTTPCore
import Proxying
import Settings
import Testing
import Transforms
import UpstreamClient

@testable import Daemon

/// Each setting about clients, names and origins that are down reaches what acts by it.
@Suite struct ProxySettingsMappingTests {
    private static func options(_ change: (inout DaemonSettings) -> Void = { _ in }) throws -> ProxyOptions {
        var settings = DaemonSettings()
        settings.listen = [.loopback(port: 0)]
        settings.admin = [.loopback(port: 0)]
        change(&settings)
        let sockets = try BoundSockets(settings, loops: 1)
        let common = settings.proxyOptions(sockets, instance: Array("abc".utf8))
        return try #require(settings.proxyOptions(common, of: sockets.listeners).first)
    }

    @Test("the host that a client names is passed on only if the settings say so")
    func gatewayHost() throws {
        #expect(try !Self.options().passesClientHost)
        #expect(try Self.options { $0.gatewayHost = .client }.passesClientHost)
    }

    @Test("commands on the proxy's port are for listed addresses alone (H-141)")
    func commands() throws {
        let address = SocketAddress.ip(.v4(0x0A00_0001), port: 1)
        let other = SocketAddress.ip(.v4(0x0B00_0001), port: 1)
        let listed = try Self.options { $0.access.commandClients = ["10.0.0.0/8"].compactMap(AddressRange.init) }
        #expect(listed.mayCommand(address) && !listed.mayCommand(other))
        #expect(!listed.mayCommand(.unix(path: "/run/a")))
        #expect(try !Self.options().mayCommand(address))
    }

    @Test("with logins clients are known by name or listed, and those on listed addresses need none")
    func logins() throws {
        let inside = SocketAddress.ip(.v4(0x0A00_0001), port: 1)
        let outside = SocketAddress.ip(.v4(0x0B00_0001), port: 1)
        let listed = try Self.options { settings in
            settings.access.loginFile = "logins"
            settings.access.clients = ["10.0.0.0/8"].compactMap(AddressRange.init)
        }
        #expect(listed.listsClients && listed.login?.exempts(inside) == true && listed.login?.exempts(outside) == false)
        #expect(listed.login?.exempts(.unix(path: "/run/a")) == false)
        let everybody = try Self.options { settings in
            settings.access.loginFile = "logins"
            settings.access.clients = ["0.0.0.0/0"].compactMap(AddressRange.init)
        }
        #expect(everybody.listsClients && everybody.login?.exempts(inside) == false)
        let open = try Self.options { $0.access.clients = ["0.0.0.0/0"].compactMap(AddressRange.init) }
        #expect(!open.listsClients && open.login == nil)
    }

    @Test("limits on held content, the script for clients and open proxies reach the responders")
    func others() throws {
        let options = try Self.options { settings in
            settings.limits.keyBody = ByteCount(bytes: 701)
            settings.limits.headerTimeout = .seconds(702)
            settings.access.allowOpenProxy = true
            settings.pac.fallbackDirect = true
        }
        #expect(options.questions.contentLimit == 701 && options.handshakeTime == .seconds(702))
        #expect(options.allowsOpenProxy && options.script.allowsFallback && options.script.direct.isEmpty)
        let usual = try Self.options()
        #expect(!usual.allowsOpenProxy && !usual.script.allowsFallback)
    }

    @Test(
        "attempts at an origin that is down are spaced by the time that failures are remembered, else by a second at most",
        arguments: [(2, 60, 2), (0, 60, 60), (0, 500, 500), (0, 5000, 1000), (5000, 30_000, 5000)]
    )
    func circuitBreaker(retry: Int, longest: Int, spacing: Int) {
        var settings = DaemonSettings()
        settings.upstream.retryTime = .milliseconds(retry)
        settings.upstream.retryTimeMax = .milliseconds(longest)
        #expect(settings.circuitBreakerOptions.spacing == .milliseconds(spacing))
        #expect(settings.circuitBreakerOptions.maximumSpacing == .milliseconds(longest))
        #expect(settings.circuitBreakerOptions.isEnabled)
        settings.upstream.circuitBreaker = false
        #expect(!settings.circuitBreakerOptions.isEnabled)
    }

    @Test("a load that is always finished, or never, has the time and the share for it")
    func fillPolicies() {
        var settings = DaemonSettings()
        settings.cache.fillPolicy = .finish
        #expect(settings.serviceConfiguration.fillTime == .seconds(86_400))
        #expect(settings.serviceConfiguration.fillPercent == 0)
        settings.cache.fillPolicy = .abandon
        #expect(settings.serviceConfiguration.fillRemainder == -1 && settings.serviceConfiguration.fillPercent == 101)
    }

    @Test("limits on transformers reach the service, and none on decoded content is 0")
    func transformers() {
        var settings = DaemonSettings()
        settings.limits.maxTransformSize = ByteCount(bytes: 801)
        settings.limits.decodedSize = ByteCount(bytes: 802)
        settings.limits.decodedRatio = 803
        settings.limits.contentCodings = 4
        settings.limits.transformJSONDepth = 805
        settings.limits.transformTime = .seconds(806)
        let limits = settings.serviceConfiguration.transformLimits
        #expect(limits.wholeContent == 801 && limits.decodedContent == 802 && limits.ratio == 803)
        #expect(limits.codings == 4 && limits.jsonDepth == 805 && limits.time == .seconds(806))
        settings.limits.decodedSize = nil
        #expect(settings.serviceConfiguration.transformLimits.decodedContent == 0)
        settings.upstream.minimumRate = nil
        #expect(settings.upstreamLimits.minimumRate == 0)
        settings.upstream.retryAfterMax = .seconds(807)
        settings.cache.questionsPerResource = 808
        #expect(settings.serviceConfiguration.policies.retryAfterLimit == .seconds(807))
        #expect(settings.serviceConfiguration.questionLimit == 808)
    }

    @Test("names are looked up by the resolver that the settings name, at its servers")
    func resolver() throws {
        var settings = DaemonSettings()
        settings.dns.servers = [try #require(NameServer(text: "192.0.2.1:5353"))]
        #expect(settings.resolverOptions.kind == .builtIn)
        #expect(settings.resolverOptions.servers == [.ip(.v4(0xC000_0201), port: 5353)])
        settings.dns.resolver = .system
        #expect(settings.resolverOptions.kind == .system)
    }
}
