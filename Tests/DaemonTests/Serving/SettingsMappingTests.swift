import Eventing
import Exchanges
import HTTPCaching
import HTTPCore
import HTTPServer
import Proxying
import ResourceCore
import Settings
import Testing
import UpstreamClient

@testable import Daemon

/// Each setting reaches what it limits.
@Suite struct SettingsMappingTests {
    /// Changes settings, then reads from what is built of them.
    private static func built<R>(
        _ read: (DaemonSettings) throws -> R,
        _ change: (inout DaemonSettings) -> Void
    ) rethrows -> R {
        var settings = DaemonSettings()
        change(&settings)
        return try read(settings)
    }

    @Test("limits on clients reach the server")
    func server() {
        let server = Self.built(\.serverLimits) { settings in
            settings.limits.headerTimeout = .seconds(101)
            settings.limits.bodyTimeout = .seconds(102)
            settings.limits.idleTimeout = .seconds(103)
            settings.limits.sendTimeout = .seconds(104)
            settings.limits.pipelineDepth = 105
            settings.limits.pipelineSize = ByteCount(bytes: 106)
            settings.limits.unsentPerExchange = ByteCount(bytes: 107)
            settings.limits.maxConnections = 108
            settings.limits.maxConnectionsPerPeer = 109
            settings.limits.unfinishedHeads = ByteCount(bytes: 110_000)
        }
        #expect(server.headerTimeout == .seconds(101))
        #expect(server.bodyTimeout == .seconds(102))
        #expect(server.idleTimeout == .seconds(103))
        #expect(server.sendTimeout == .seconds(104))
        #expect(server.pipelineDepth == 105)
        #expect(server.pipelineBytes == 106)
        #expect(server.unsentPerExchange == 107)
        #expect(server.maxConnections == 108)
        #expect(server.maxConnectionsPerPeer == 109)
        #expect(server.unfinishedHeads == 110_000)
    }

    @Test("limits on messages of clients reach the parser of requests")
    func requests() {
        let parser = Self.built(\.serverLimits.parser, Self.changeMessages)
        #expect(parser.method == 201)
        #expect(parser.requestTarget == 202)
        #expect(parser.headerSection == 203)
        #expect(parser.headerFields == 204)
        #expect(parser.emptyLines == 205)
        #expect(parser.content == 206)
        #expect(parser.chunkExtensionLine == 207)
        #expect(parser.chunkExtensions == 208)
        #expect(parser.trailerSection == 209)
        #expect(parser.trailerFields == 210)
        #expect(DaemonSettings().serverLimits.parser.content == nil)
    }

    @Test("limits on messages of origins reach the parser of responses, which has none on content")
    func responses() {
        let upstream = Self.built(\.upstreamLimits, Self.changeMessages)
        #expect(upstream.parser.headerSection == 301)
        #expect(upstream.parser.headerFields == 302)
        #expect(upstream.interimResponses == 303)
        #expect(upstream.parser.chunkExtensionLine == 207)
        #expect(upstream.parser.chunkExtensions == 208)
        #expect(upstream.parser.trailerSection == 209)
        #expect(upstream.parser.trailerFields == 210)
        #expect(upstream.parser.content == nil)
    }

    @Test("what concerns clients that leave and clients on loopback reaches the listeners")
    func clients() {
        let server = Self.built(\.serverLimits) { settings in
            settings.limits.halfClose = .seconds(211)
            settings.limits.maxConnectionsPerPeer = 212
            settings.access.trustLoopback = false
        }
        #expect(server.halfCloseTime == .seconds(211))
        #expect(server.maxConnectionsPerPeer == 212 && server.countsLoopbackPeers)
        let usual = DaemonSettings().serverLimits
        #expect(usual.halfCloseTime == .zero && !usual.countsLoopbackPeers)
    }

    private static func changeMessages(_ settings: inout DaemonSettings) {
        settings.limits.methodLength = 201
        settings.limits.requestTarget = ByteCount(bytes: 202)
        settings.limits.headerSection = ByteCount(bytes: 203)
        settings.limits.headerFields = 204
        settings.limits.emptyLines = 205
        settings.limits.requestBody = ByteCount(bytes: 206)
        settings.limits.chunkExtensionLine = ByteCount(bytes: 207)
        settings.limits.chunkExtensions = ByteCount(bytes: 208)
        settings.limits.trailerSection = ByteCount(bytes: 209)
        settings.limits.trailerFields = 210
        settings.limits.responseHeaderSection = ByteCount(bytes: 301)
        settings.limits.responseHeaderFields = 302
        settings.limits.interimResponses = 303
    }

    @Test("time and number of connections to origins reach the client")
    func upstream() {
        let upstream = Self.built(\.upstreamLimits) { settings in
            settings.upstream.connectTimeout = .seconds(401)
            settings.upstream.firstByteTimeout = .seconds(402)
            settings.upstream.idleTimeout = .seconds(403)
            settings.upstream.minimumRate = ByteCount(bytes: 404)
            settings.upstream.keepAliveTimeout = .seconds(404)
            settings.upstream.connectionsPerOrigin = 405
            settings.upstream.queuePerOrigin = 406
            settings.limits.continueTimeout = .seconds(407)
            settings.limits.unsentPerExchange = ByteCount(bytes: 408)
        }
        #expect(upstream.connectTimeout == .seconds(401))
        #expect(upstream.firstByteTimeout == .seconds(402))
        #expect(upstream.idleTimeout == .seconds(403))
        #expect(upstream.minimumRate == 404)
        #expect(upstream.keepAliveTimeout == .seconds(404))
        #expect(upstream.connectionsPerOrigin == 405)
        #expect(upstream.queuePerOrigin == 406)
        #expect(upstream.continueTimeout == .seconds(407))
        #expect(upstream.unsentContent == 408)
    }

    @Test("the rules of the cache reach the service")
    func service() {
        let service = Self.built(\.serviceConfiguration) { settings in
            settings.cache.expirationTime = .seconds(501)
            settings.upstream.retryTime = .seconds(502)
            settings.cache.variantsPerResource = 503
            settings.cache.hitForMiss = .seconds(504)
            settings.limits.waitersPerLoad = 505
            settings.cache.heuristicFraction = 0.5
            settings.cache.heuristicLimit = .seconds(506)
            settings.cache.staleIfError = .seconds(507)
            settings.cache.varyNames = 508
            settings.limits.ranges = 509
            settings.cache.credentialFields = ["X-Mine"]
        }
        #expect(service.expirationTime == .seconds(501))
        #expect(service.retryTime == .seconds(502))
        #expect(service.variantLimit == 503)
        #expect(service.hitForMissTime == .seconds(504))
        #expect(service.waiterLimit == 505)
        #expect(service.caching.heuristicFraction == 0.5)
        #expect(service.caching.heuristicLimitSeconds == 506)
        #expect(service.caching.staleIfErrorSeconds == 507)
        #expect(service.caching.varyNameLimit == 508)
        #expect(service.caching.rangeLimit == 509)
        #expect(service.caching.credentials.contains(Array("x-mine".utf8)))
        #expect(!service.caching.credentials.contains(Array("x-api-key".utf8)))
    }

    @Test("fields that services put on requests are credentials, standard ones that are none are not (H-158)")
    func injectedFields() throws {
        let base = try TargetURI(parsing: "http://vault.example/")
        let change: (inout DaemonSettings) -> Void = { settings in
            settings.services = [
                ServiceSettings(
                    name: "vault",
                    base: base,
                    headers: [
                        ServiceField(name: "X-Vault-Token", value: .text("planted")),
                        ServiceField(name: "Accept", value: .text("application/json")),
                    ]
                )
            ]
        }
        let options = try Self.proxyOptions(change)
        for credentials in [Self.built(\.serviceConfiguration.caching.credentials, change), options.credentialFields] {
            #expect(credentials.contains(Array("x-vault-token".utf8)))
            #expect(credentials.contains(Array("x-api-key".utf8)))
            #expect(!credentials.contains(Array("accept".utf8)))
        }
        #expect(Self.built(\.credentialNames, change).contains(Array("x-vault-token".utf8)))
    }

    @Test("the mode is the service's", arguments: OperatingMode.allCases)
    func mode(mode: OperatingMode) {
        #expect(Self.built(\.serviceConfiguration.mode) { $0.mode = mode }.rawValue == mode.rawValue)
    }

    @Test("a fill policy is a share and a rest")
    func fillPolicy() {
        func limits(_ policy: FillPolicy) -> [Int64] {
            let service = Self.built(\.serviceConfiguration) { settings in
                settings.cache.fillPolicy = policy
                settings.cache.fillFraction = 0.4
                settings.cache.fillRemainder = ByteCount(bytes: 77)
            }
            return [service.fillPercent, service.fillRemainder]
        }
        #expect(limits(.auto) == [40, 77])
        #expect(limits(.finish)[0] == 0)
        #expect(limits(.abandon) == [101, -1])
    }

    @Test("CDN-Cache-Control counts where the listener works for the origin")
    func targetedControl() {
        func reads(_ control: TargetedControl, gateway: String?) -> Bool {
            Self.built(\.serviceConfiguration.caching.targetedFields) { settings in
                settings.cache.targetedControl = control
                settings.gateway = gateway.flatMap { GatewayOrigin(text: $0) }
            }
            .contains(.cdnCacheControl)
        }
        let gateway = "http://a.example"
        #expect(!reads(.services, gateway: nil) && reads(.services, gateway: gateway))
        #expect(reads(.all, gateway: nil) && reads(.all, gateway: gateway))
        #expect(!reads(.off, gateway: nil) && !reads(.off, gateway: gateway))
    }

    // MARK: What the proxy may do

    /// Settings with free ports, on loopback unless told otherwise.
    private static func proxyOptions(
        listen: [String] = ["127.0.0.1:0"],
        _ change: (inout DaemonSettings) -> Void = { _ in }
    ) throws -> ProxyOptions {
        var settings = DaemonSettings()
        settings.listen = listen.compactMap { ListenAddress(text: $0) }
        settings.admin = [.loopback(port: 0)]
        change(&settings)
        let sockets = try BoundSockets(settings, loops: 1)
        let common = settings.proxyOptions(sockets, instance: Array("abc".utf8))
        return try #require(settings.proxyOptions(common, of: sockets.listeners).first)
    }

    @Test("a login file of which there are no users lets nobody in, rather than everybody")
    func loginWithoutUsers() throws {
        #expect(try Self.proxyOptions { $0.access.loginFile = "logins" }.login != nil)
        #expect(try Self.proxyOptions().login == nil)
    }

    @Test(
        "what becomes of cookies reaches routes and the cache",
        arguments: [
            (PathCookieSetting.byListener, nil, CookieSharingSetting.byRoute, .byRoute),
            (.scoped, .scoped, .share, .share),
            (.drop, .drop, .partition, .partition), (.pass, .pass, .byRoute, .byRoute),
        ] as [(PathCookieSetting, PathCookies?, CookieSharingSetting, CookieSharing)]
    )
    func cookies(
        path: PathCookieSetting,
        expected: PathCookies?,
        sharing: CookieSharingSetting,
        cached: CookieSharing
    )
        throws
    {
        let change: (inout DaemonSettings) -> Void = { settings in
            settings.access.pathCookies = path
            settings.cache.cookies = sharing
        }
        #expect(try Self.proxyOptions(change).pathCookies == expected)
        #expect(Self.built(\.serviceConfiguration.caching.cookies, change) == cached)
    }

    @Test("access rules reach the proxy")
    func access() throws {
        let options = try Self.proxyOptions { settings in
            settings.access.connectPorts = [1, 2]
            settings.access.blockedPorts = [3]
            settings.access.ownNames = patterns(["Proxy.Example", "{a,b}.lan", "*.{lan,c}", "[FD00::1]", "*"])
            settings.upstream.connectTimeout = .seconds(601)
            settings.tunnel.idleTimeout = .seconds(602)
            settings.tunnel.lifetime = .seconds(603)
            settings.tunnel.websocket = false
            settings.cache.credentialFields = ["X-Mine"]
            settings.gateway = GatewayOrigin(text: "http://Origin.example:8000/")
        }
        #expect(options.connectPorts == [1, 2])
        #expect(options.blockedPorts == [3] && options.addressPolicy.blockedPorts == [3])
        #expect(options.listsClients)
        let everybody = try Self.proxyOptions { $0.access.clients = ["::/0"].compactMap(AddressRange.init) }
        #expect(!everybody.listsClients)
        #expect(options.ownNames == ["proxy.example", "a.lan", "b.lan"].map { Array($0.utf8) })
        #expect(options.ownNamePatterns.map(\.text) == ["*.{lan,c}", "[fd00::1]"])
        #expect(options.connectTimeout == .seconds(601))
        #expect(options.tunnelIdleTimeout == .seconds(602))
        #expect(options.tunnelLifetime == .seconds(603))
        #expect(
            !options.allowsWebSocket
                && ProxyOptions(via: options.via, addressPolicy: options.addressPolicy).allowsWebSocket
        )
        #expect(options.credentialFields.contains(Array("x-mine".utf8)))
        #expect(options.gateway?.base.text == "http://origin.example:8000/")
        #expect(options.via.pseudonym == Array("respite-abc".utf8))
    }

    @Test("the prefix gateway, loopback and private networks are for listeners on loopback (H-137, H-065)")
    func reach() throws {
        let local = try Self.proxyOptions()
        #expect(local.routes == .all && local.addressPolicy.allowsLoopback && local.addressPolicy.allowsPrivate)
        let open = try Self.proxyOptions(listen: ["0.0.0.0:0"])
        #expect(
            open.routes == [.forward, .services] && !open.addressPolicy.allowsLoopback
                && !open.addressPolicy.allowsPrivate
        )
        let allowed = try Self.proxyOptions(listen: ["0.0.0.0:0"]) { $0.access.destinations.private = .allow }
        #expect(!allowed.addressPolicy.allowsLoopback && allowed.addressPolicy.allowsPrivate)
        let refused = try Self.proxyOptions { $0.access.destinations.loopback = .refuse }
        #expect(!refused.addressPolicy.allowsLoopback && refused.addressPolicy.allowsPrivate)
    }

    @Test("each listener has the routes that it names, in the order of the sockets, and the usual ones else")
    func routes() throws {
        var settings = DaemonSettings()
        settings.gateway = GatewayOrigin(text: "http://origin.example")
        settings.listen = [.loopback(port: 1), .tcp(.v4(0), port: 2), .unix(path: "/run/x")]
        settings.listeners = [
            ListenerSettings(address: .loopback(port: 3), routes: [.forward, .services]),
            ListenerSettings(address: .loopback(port: 4), routes: [.gateway, .prefix]),
        ]
        let common = try Self.proxyOptions()
        let addresses = settings.allListeners.map(\.address)
        let options = settings.proxyOptions(common, of: addresses.reversed() + [.loopback(port: 9)])
        #expect(options.map(\.routes) == [.prefix, [.forward, .services], [], [], [], []])
        #expect(options.map { $0.gateway != nil } == [true, false, true, true, true, true])
        #expect(options.map(\.servesBeyondLoopback) == [false, false, false, true, false, false])
        // Beyond loopback and on Unix sockets a reverse proxy is not told apart by names, unless some are listed.
        #expect(options.map(\.answersToEveryName) == [false, false, true, true, false, false])
        settings.access.ownNames = patterns(["shop.example"])
        #expect(
            settings.proxyOptions(common, of: addresses).map(\.answersToEveryName) == [
                false, false, true, false, false,
            ]
        )
        settings.access.ownNames = patterns(["shop.example", "*"])
        #expect(!settings.proxyOptions(common, of: addresses).map(\.answersToEveryName).contains(false))
        settings.gateway = nil
        #expect(settings.proxyOptions(common, of: addresses).map(\.routes)[..<2] == [.all, [.forward, .services]])
    }

    @Test("what settings name may lead inward: services, gateway, token endpoints, hosts, private-names")
    func trustedNames() throws {
        let policy = Self.built(\.rebinding) { settings in
            settings.gateway = GatewayOrigin(text: "http://Origin.example")
            settings.hosts = ["host.example": [.v4(0x7F00_0001)]]
            settings.access.privateNames = ["*.localtest.me"].compactMap { try? HostPattern($0) }
        }
        #expect(policy.scope == .loopback && policy.named == ["origin.example", "host.example"])
        #expect(
            policy.isListed("a.localtest.me") && !policy.isListed("localtest.me")
                && !policy.isListed("a.b.localtest.me")
        )
        #expect(Self.built(\.rebinding.scope) { $0.access.rebindProtection = .off } == .none)
        #expect(Self.built(\.rebinding.scope) { $0.access.rebindProtection = .private } == .privateNetworks)
    }

    @Test("a person is told of a gateway whose names are few, of services nobody offers, and of what is open")
    func warnings() throws {
        var settings = DaemonSettings()
        settings.gateway = GatewayOrigin(text: "http://origin.example")
        func warnings() -> [String] { LoadedSettings(values: settings).routeWarnings.map(\.message) }
        #expect(warnings().isEmpty)
        #expect(settings.notes.count == 1 && settings.notes[0].contains("`access.own-names`"))
        #expect(settings.notes[0].contains("origin.example"))
        settings.access.ownNames = patterns(["*"])
        #expect(settings.notes.isEmpty)
        settings.services = [ServiceSettings(name: "api", base: try TargetURI(parsing: "http://api.example"))]
        #expect(
            warnings().map { $0.contains("service api") || $0.contains("`access.own-names` has \"*\"") } == [
                true, true,
            ]
        )
        settings.listeners = [ListenerSettings(address: .loopback(port: 1), routes: [.gateway, .services])]
        settings.access.rebindProtection = .off
        #expect(warnings().map { $0.prefix(13) } == ["127.0.0.1:1: ", "`access.own-n", "`access.rebin"])
    }

    @Test("the page on / tells where the dashboard is only if that is on loopback")
    func adminURL() throws {
        #expect(try Self.proxyOptions().adminURL?.hasPrefix("http://127.0.0.1:") == true)
        let open = try Self.proxyOptions { $0.admin = [.tcp(.v4(0), port: 0)] }
        #expect(open.adminURL == nil)
    }

    @Test("Set-Cookie is judged by whether all listeners are on loopback (H-114)")
    func loopbackListener() {
        #expect(DaemonSettings().serviceConfiguration.caching.isLoopbackListener)
        let open = Self.built(\.serviceConfiguration) {
            $0.listen = [.loopback(port: 3128), .tcp(.v4(0), port: 3128)]
        }
        #expect(!open.caching.isLoopbackListener)
    }

    @Test("the daemon's own listeners are no destination (H-135, H-137)")
    func ownListeners() throws {
        var settings = DaemonSettings()
        settings.listen = [.loopback(port: 0)]
        settings.admin = [.loopback(port: 0)]
        let sockets = try BoundSockets(settings, loops: 2)
        let policy = settings.addressPolicy(sockets)
        let proxy = try #require(sockets.proxyAddresses.first)
        let admin = try #require(sockets.adminAddresses.first)
        #expect(policy.judge(proxy) != .allowed)
        #expect(policy.judge(admin) != .allowed)
        let other = SocketAddress.ip(.v4(0x7F00_0001), port: (proxy.port ?? 0) &+ 1)
        if other != admin { #expect(policy.judge(other) == .allowed) }
    }

    @Test("names of the settings are resolved to the addresses given")
    func hosts() {
        let options = Self.built(\.resolverOptions) { $0.hosts = ["a.example": [.v4(0x0102_0304)]] }
        #expect(options.overrides == ["a.example": [.v4(0x0102_0304)]])
    }
}

private func patterns(_ texts: [String]) -> [HostPattern] { texts.compactMap { try? HostPattern($0) } }
