import Eventing
import Exchanges
import HTTPCaching
import HTTPCore
import ResourceCore
import Testing

@testable import Proxying

/// Who may use what a service puts into requests, and where it may go.
@Suite struct ServiceCredentialTests {
    private static let stranger = SocketAddress.ip(.v4(0xCB00_7109), port: 40_000)

    private static func service(
        _ name: String,
        _ base: String,
        injects: Bool = true,
        everywhere: Bool = false
    ) throws -> ServiceRoute {
        ServiceRoute(
            name: name,
            base: try TargetURI(parsing: base),
            injected: injects ? [(Array("Authorization".utf8), Array("Bearer t".utf8))] : [],
            injectsEverywhere: everywhere
        )
    }

    private static func router(
        gateway: String? = nil,
        everywhere: Bool = false,
        base: String = "http://api.example",
        _ change: (inout ProxyOptions) -> Void = { _ in }
    ) throws -> Router {
        let services = [
            try service("secret", base, everywhere: everywhere),
            try service("open", "http://open.example", injects: false),
        ]
        return try ProxyingTests.router(gateway: gateway) {
            $0.services = services
            $0.routes = .all
            change(&$0)
        }
    }

    // MARK: Strangers

    @Test("a gateway's strangers reach the gateway by every Host; this machine's clients reach the service")
    func strangersOfGateway() throws {
        let router = try Self.router(gateway: "http://app.example") { $0.servesBeyondLoopback = true }
        let request = try head("GET /user HTTP/1.1", "Host: secret.localhost")
        #expect(router.route(request, from: Self.stranger).summary == "gateway http://app.example/user")
        #expect(router.route(request).summary == "serviceHost secret http://api.example/user")
        let local = SocketAddress.ip(.v4(0x7F00_0001), port: 1)
        #expect(router.route(request, from: local).kind?.injector != nil)
    }

    @Test("beyond loopback a service's credential is for listed clients, on every route")
    func strangers() throws {
        let requests = [
            try head("GET /user HTTP/1.1", "Host: secret.localhost"),
            try head("GET /secret/user HTTP/1.1", "Host: localhost"),
            try head("GET http://api.example/user HTTP/1.1", "Host: api.example"),
        ]
        let unlisted = try Self.router(everywhere: true) { $0.servesBeyondLoopback = true }
        let listed = try Self.router(everywhere: true) {
            $0.servesBeyondLoopback = true
            $0.listsClients = true
        }
        for request in requests {
            let refusal = unlisted.route(request, from: Self.stranger).refusal
            #expect(refusal?.status == 403 && refusal?.detail.contains("access.clients") == true)
            #expect(unlisted.route(request).kind?.injector != nil)
            #expect(listed.route(request, from: Self.stranger).kind?.injector != nil)
        }
        // What adds nothing is as open as the proxy is.
        let open = try head("GET /x HTTP/1.1", "Host: open.localhost")
        #expect(unlisted.route(open, from: Self.stranger).refusal == nil)
    }

    // MARK: Gateway

    @Test("where a gateway adds a credential, a Host that is none of ours is 421: it makes no page our own")
    func gatewayHost() throws {
        let router = try Self.router(gateway: "http://api.example", everywhere: true) {
            $0.ownNames = [Array("api.org.example".utf8)]
        }
        let fields = ["Host: rebound.example", "Origin: http://rebound.example", "Sec-Fetch-Site: same-origin"]
        #expect(try router.route(head("GET /x HTTP/1.1", fields)).refusal?.status == 421)
        for host in ["localhost:3128", "api.org.example"] {
            let own = try head("GET /x HTTP/1.1", "Host: \(host)", "Origin: http://\(host)")
            #expect(router.route(own).kind?.injector != nil, "\(host)")
        }
        // Without a credential every Host will do.
        let plain = try Self.router(gateway: "http://api.example")
        #expect(try plain.route(head("GET /x HTTP/1.1", fields)).refusal == nil)
    }

    // MARK: Ways out of the base

    @Test(
        "a credential that goes everywhere does not leave its base by dot segments, on any route",
        arguments: ["/../~mallory/x", "/..%2f~mallory/x", "/%2e%2e/~mallory/x", "/a/..", "/./x", "/..;/x", "/..%5cx"]
    )
    func waysOut(rest: String) throws {
        let base = "http://host.example/~alice"
        let forward = try Self.router(everywhere: true, base: base)
        let gateway = try Self.router(gateway: "http://host.example", everywhere: true, base: base)
        for target in [base + rest, "/" + base + rest] {
            let request = try head("GET \(target) HTTP/1.1", "Host: localhost")
            #expect(forward.route(request).refusal?.status == 400, "\(target)")
            var key: [UInt8] = []
            #expect(forward.hits.appendKey(of: request, to: &key) == nil, "\(target)")
        }
        #expect(
            try gateway.route(head("GET /~alice\(rest) HTTP/1.1", "Host: localhost")).refusal?.status == 400
        )
        for plain in ["/x?y=/../z", "", "/a%2Fb"] {
            let request = try head("GET \(base)\(plain) HTTP/1.1", "Host: localhost")
            #expect(forward.route(request).kind?.injector != nil, "\(plain)")
        }
    }

    // MARK: Absolute form

    @Test("a proxy client that asks for a service's host on a port of ours reaches the service")
    func absoluteForm() throws {
        let router = try Self.router {
            $0.addressPolicy = AddressPolicy(
                allowsLoopback: true,
                allowsPrivate: true,
                listeners: OwnListeners(proxy: [.ip(.v4(0x7F00_0001), port: 3128)])
            )
        }
        func route(_ target: String, _ fields: String...) throws -> Route {
            try router.route(head("GET \(target) HTTP/1.1", fields))
        }
        let target = "http://secret.localhost:3128/user"
        let expected = "serviceHost secret http://api.example/user"
        #expect(try route(target, "Host: secret.localhost:3128").summary == expected)
        let page = "Origin: http://secret.localhost:3128"
        #expect(try route(target, "Host: other.example", page).summary == expected)
        #expect(try route(target, "Host: evil.example", "Origin: http://evil.example").refusal?.status == 403)
        let other = "http://secret.localhost:81/user"
        #expect(try route(other, "Host: secret.localhost:81").summary == "forward \(other)")
    }

    // MARK: Partitions

    private static func text(
        identity: String? = nil,
        mark: String = "",
        client: String? = nil,
        secret: String = "s"
    ) throws -> [UInt8] {
        let base = try TargetURI(parsing: "https://api.example")
        let source = client.map {
            TokenSource(.init(endpoint: base, clientID: $0, clientSecret: secret), name: "api") { _ in nil }
        }
        let route = ServiceRoute(
            name: "api",
            base: base,
            credential: source,
            identity: identity,
            identityMark: Array(mark.utf8)
        )
        return NamedService(route).credentialText(with: nil)
    }

    @Test("what came with one client certificate, or as one client, is not for another under the same name (C-20.1b)")
    func identities() throws {
        #expect(try Self.text(identity: "api", mark: "a") == Self.text(identity: "api", mark: "a"))
        #expect(try Self.text(identity: "api", mark: "a") != Self.text(identity: "api", mark: "b"))
        #expect(try Self.text(client: "a") == Self.text(client: "a", secret: "renewed"))
        #expect(try Self.text(client: "a") != Self.text(client: "b"))
        #expect(try Self.text(client: "a") != Self.text(identity: "api", mark: "a"))
    }

    @Test("explaining, a request gets what the forward route puts into it, and looks where that does (C-20.1b)")
    func injection() throws {
        for everywhere in [true, false] {
            let service = try Self.service("api", "http://api.example/v1", everywhere: everywhere)
            let injection = ServiceInjection([service], credentialFields: CredentialFields())
            for (url, isBelow) in [("http://api.example/v1/a", true), ("http://api.example/v2", false)] {
                let uri = try TargetURI(parsing: url)
                var fields = Fields()
                fields.append(.authorization, "mine")
                fields.append(.cookie, "id=1")
                var request = ClientRequest(
                    uri: uri,
                    fields: fields,
                    profile: RequestProfile(method: .get),
                    arrival: MonotonicTime(nanoseconds: 0),
                    provider: Nobody()
                )
                injection.apply(to: &request, PlainHasher())
                let isInjected = everywhere && isBelow
                #expect(request.fields.contains(.authorization) == !isInjected)
                #expect(request.injected.text(of: .authorization) == (isInjected ? "Bearer t" : nil))
                #expect((request.partitions.common == .shared) == !isInjected)
                #expect((request.partitions.own == request.partitions.common) == false)
            }
        }
    }

    @Test("an explained request acts for a reverse proxy's origin only if its URL is below the base")
    func gateway() throws {
        let base = GatewayBase(try TargetURI(parsing: "http://a.example/app"))
        for (gateway, url, isForOrigin) in [
            (base, "http://a.example/app/x", true), (base, "http://a.example/other", false),
            (base, "http://b.example/app/x", false), (nil, "http://a.example/app/x", false),
        ] as [(GatewayBase?, String, Bool)] {
            var request = ClientRequest(
                uri: try TargetURI(parsing: url),
                fields: Fields(),
                profile: RequestProfile(method: .get),
                arrival: MonotonicTime(nanoseconds: 0),
                provider: Nobody()
            )
            ServiceInjection([], credentialFields: CredentialFields(), gateway: gateway)
                .apply(to: &request, PlainHasher())
            #expect(request.profile.isForOrigin == isForOrigin, "\(url)")
        }
    }
}

/// In the place of a provider.
private final class Nobody: ExchangeProvider {
    final class Nowhere: DeliveryContext {
        let isCurrent = true
        func submit(_ work: @escaping @Sendable () -> Void) {}
    }

    final class NoExchange: Exchange {
        func grant(_ bytes: Int) {}
        func send(_ chunk: ByteChunk) {}
        func finish(trailers: Fields?) {}
        func cancel() {}
    }

    let context: any DeliveryContext = Nowhere()

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange { NoExchange() }
}
