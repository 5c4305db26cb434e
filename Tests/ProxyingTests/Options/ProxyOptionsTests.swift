import Eventing
import HTTPCore
import Testing

@testable import Proxying

/// What a listener does unless its settings say otherwise, and what follows from some of them.
@Suite struct ProxyOptionsTests {
    private static func options(_ change: (inout ProxyOptions) -> Void = { _ in }) -> ProxyOptions {
        var options = ProxyOptions(
            via: Via(instance: Array("test".utf8)),
            addressPolicy: AddressPolicy(allowsLoopback: true, allowsPrivate: true)
        )
        change(&options)
        return options
    }

    @Test("by default a listener offers every route to clients of its own machine, and no more")
    func routes() {
        let options = Self.options()
        #expect(options.routes == [.forward, .prefix, .services] && options.routes == .all && options.allowsWebSocket)
        #expect(!options.answersToEveryName && !options.passesClientHost && !options.servesBeyondLoopback)
        #expect(!options.isSecure && !options.listsClients && !options.allowsOpenProxy && !options.bypassesStore)
        #expect(!options.mayCommand(.unix(path: "")) && options.gateway == nil && options.login == nil)
        #expect(options.services.isEmpty && options.ownNames.isEmpty && options.ownNamePatterns.isEmpty)
        #expect([OfferedRoutes.forward, .prefix, .services, .all].map(\.rawValue) == [1, 2, 4, 7])
    }

    @Test("by default times and ports are those of the manual")
    func limits() {
        let options = Self.options()
        #expect(options.connectTimeout == .seconds(5) && options.handshakeTime == .seconds(10))
        #expect(options.firstBytesTime == .seconds(1) && options.markingTime == .seconds(1))
        #expect(options.tunnelIdleTimeout == .seconds(600) && options.tunnelLifetime == .seconds(86_400))
        #expect(options.blockedPorts == [25, 110, 119, 143, 465, 563, 587, 993, 995])
    }

    @Test(
        "CONNECT is for the ports given; where any is allowed, not for those of other protocols",
        arguments: [
            (nil, 443, true), (nil, 8443, true), (nil, 80, false), (nil, 442, false), (nil, 444, false),
            (nil, 8442, false), (nil, 8444, false), (.any, 80, true), (.any, 25, false), (.any, 26, true),
            (.any, 995, false), ([25], 25, true), ([25], 443, false),
        ] as [(PortSelection?, UInt16, Bool)]
    )
    func ports(selection: PortSelection?, port: UInt16, isAllowed: Bool) {
        #expect(Self.options { if let selection { $0.connectPorts = selection } }.mayTunnel(to: port) == isAllowed)
    }

    @Test("behind SOCKS, port 80 is read as HTTP unless it is blocked")
    func socks() {
        #expect(Self.options().servesHTTP(behindSOCKS: 80))
        for port in [79, 81, 443, 8080] as [UInt16] { #expect(!Self.options().servesHTTP(behindSOCKS: port)) }
        #expect(!Self.options { $0.blockedPorts = [80] }.servesHTTP(behindSOCKS: 80))
    }

    @Test("over TLS the same options hold, by https, and for every client")
    func secure() {
        let secure = Self.options { $0.servesBeyondLoopback = true }.overTLS
        #expect(secure.isSecure && !secure.servesBeyondLoopback && secure.scheme == "https://")
        #expect(Self.options().scheme == "http://")
    }

    @Test("cookies on shared paths are scoped, beyond loopback dropped, unless the settings say which")
    func cookies() {
        #expect(Self.options().cookiesOnPaths == .scoped)
        #expect(Self.options { $0.servesBeyondLoopback = true }.cookiesOnPaths == .drop)
        for cookies in [PathCookies.scoped, .drop, .pass] {
            let options = Self.options { ($0.servesBeyondLoopback, $0.pathCookies) = (true, cookies) }
            #expect(options.cookiesOnPaths == cookies)
        }
    }

    @Test("a service injects if it has a field, a credential or a certificate to add")
    func injecting() throws {
        let base = try TargetURI(parsing: "http://a.example/")
        #expect(!ServiceRoute(name: "a", base: base).injects)
        #expect(ServiceRoute(name: "a", base: base, injected: [([0x61], [0x62])]).injects)
        #expect(ServiceRoute(name: "a", base: base, identity: "own").injects)
        let service = NamedService(ServiceRoute(name: "a", base: base, allowOrigins: [Array("HTTP://B.example".utf8)]))
        #expect(
            service.listsPages && !service.injects && service.route.allowOrigins == [Array("http://b.example".utf8)]
        )
        #expect(!NamedService(ServiceRoute(name: "a", base: base)).listsPages)
    }
}
