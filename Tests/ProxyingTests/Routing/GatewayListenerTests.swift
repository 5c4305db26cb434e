import Eventing
import HTTPCore
import Testing

@testable import Proxying

/// What a listener of a reverse proxy offers, and under which names.
@Suite struct GatewayListenerTests {
    private static let origin = "http://origin.example"

    private static func gateway(_ change: (inout ProxyOptions) -> Void = { _ in }) throws -> Router {
        try router(gateway: origin) {
            $0.answersToEveryName = false
            $0.services = [
                ServiceRoute(
                    name: "api",
                    base: TargetURI(scheme: .http, host: Array("api.example".utf8), port: 80, path: []),
                    injected: [(Array("Authorization".utf8), Array("t".utf8))]
                )
            ]
            change(&$0)
        }
    }

    @Test(
        "on a reverse proxy's listener every path is the origin's, on the hot path too: no prefix, no service (H-016)",
        arguments: [
            ("/http://127.0.0.1:21111/", "127.0.0.1"), ("/https://other.example/a", "localhost:3128"),
            ("/http:/a", "localhost"), ("/http%3A//a", "localhost"), ("/api/x", "localhost"), ("/x", "api.localhost"),
            ("/", "localhost"), ("/favicon.ico", "localhost"), ("/x", "nobody.localhost"),
        ]
    )
    func originAlone(target: String, host: String) throws {
        let request = try head("GET \(target) HTTP/1.1", "Host: \(host)")
        let router = try Self.gateway()
        #expect(router.route(request).summary == "gateway \(Self.origin)\(target)")
        #expect(router.route(request).kind?.injector == nil)
        var key: [UInt8] = []
        #expect(router.hits.appendKey(of: request, to: &key) == .gateway)
        #expect(String(decoding: key, as: UTF8.self) == "\(Self.origin)\(target)")
    }

    @Test(
        "absolute-form is the origin's with its own authority, and elsewhere 421, which names the setting (H-016)",
        arguments: [
            ("http://origin.example/x", true), ("HTTP://ORIGIN.example:80/x", true),
            ("http://origin.example:81/x", false),
            ("https://origin.example/x", false), ("http://127.0.0.1:21111/x", false),
            ("http://api.localhost:3128/x", false),
            ("http://api.example/x", false), ("http://localhost/x", false),
        ]
    )
    func absoluteForm(target: String, isOrigins: Bool) throws {
        let host = target.split(separator: "/")[1]
        let listeners = OwnListeners(proxy: [.ip(.v4(0x7F00_0001), port: 3128)])
        let router = try Self.gateway { $0.addressPolicy.listeners = listeners }
        for method in ["GET", "POST", "OPTIONS"] {
            let request = try head("\(method) \(target) HTTP/1.1", "Host: \(host)", "Content-Length: 0")
            let route = router.route(request)
            if isOrigins {
                #expect(route.uri == "\(Self.origin)/x")
            } else {
                #expect(route.refusal?.status == 421)
                #expect(route.refusal?.detail.contains("`routes` of its [[listener]]") == true)
            }
        }
        var key: [UInt8] = []
        let isTaken = try router.hits.appendKey(of: head("GET \(target) HTTP/1.1", "Host: \(host)"), to: &key) != nil
        #expect(isTaken == isOrigins)
    }

    @Test("CONNECT and OPTIONS for elsewhere find no way out of a reverse proxy (H-015, H-082)")
    func otherRenditions() throws {
        let router = try Self.gateway()
        let connect = try head("CONNECT origin.example:443 HTTP/1.1", "Host: origin.example:443")
        #expect(router.route(connect).refusal?.status == 405)
        #expect(router.route(connect).refusal?.detail.contains("\"forward\"") == true)
        let whole = try head("OPTIONS http://other.example HTTP/1.1", "Host: other.example")
        #expect(router.route(whole).refusal?.status == 421)
        #expect(try router.route(head("OPTIONS * HTTP/1.1", "Host: localhost")).summary == "server \(Self.origin)/")
        #expect(try router.route(head("OPTIONS * HTTP/1.1", "Host: evil.example")).summary == "refused 421")
    }

    @Test("a route that the listener names is there beside the origin")
    func namedRoutes() throws {
        let prefix = try Self.gateway { $0.routes = .prefix }
        let services = try Self.gateway { $0.routes = .services }
        let forward = try Self.gateway { $0.routes = .forward }
        let byPrefix = try head("GET /http://a.example/ HTTP/1.1", "Host: localhost")
        let byHost = try head("GET /x HTTP/1.1", "Host: api.localhost")
        let byTarget = try head("GET http://a.example/ HTTP/1.1", "Host: a.example")
        let connect = try head("CONNECT a.example:443 HTTP/1.1", "Host: a.example:443")
        #expect(prefix.route(byPrefix).summary == "prefix http://a.example/")
        #expect(services.route(byPrefix).summary == "gateway \(Self.origin)/http://a.example/")
        #expect(services.route(byHost).summary == "serviceHost api http://api.example/x")
        #expect(prefix.route(byHost).summary == "gateway \(Self.origin)/x")
        #expect(forward.route(byTarget).summary == "forward http://a.example/")
        #expect(forward.route(connect).summary == "tunnel a.example:443")
        #expect(prefix.route(byTarget).refusal?.status == 421 && services.route(connect).refusal?.status == 405)
    }

    @Test("a listener that is no reverse proxy offers what it names, too")
    func withoutGateway() throws {
        let services = try router { $0.routes = .services }
        #expect(try services.route(head("GET http://a.example/ HTTP/1.1", "Host: a.example")).summary == "refused 421")
        #expect(
            try services.route(head("CONNECT a.example:443 HTTP/1.1", "Host: a.example:443")).summary == "refused 405"
        )
        #expect(try services.route(head("GET /http://a.example/ HTTP/1.1", "Host: localhost")).summary == "refused 403")
        var key: [UInt8] = []
        #expect(
            try services.hits.appendKey(of: head("GET http://a.example/ HTTP/1.1", "Host: a.example"), to: &key) == nil
        )
        let refusal = try services.route(head("GET /x HTTP/1.1", "Host: localhost")).refusal
        #expect(refusal?.status == 400 && refusal?.detail.contains("proxy request") == false)
    }

    // MARK: Names

    @Test(
        "a reverse proxy answers to loopback, its origin's name and those listed, at any port; else 421 names the setting",
        arguments: [
            ("127.0.0.1", true), ("127.8.9.1:99", true), ("localhost:3128", true), ("LocalHost", true),
            ("[::1]:80", true),
            ("a.b.localhost", true), ("origin.example", true), ("ORIGIN.example:8443", true), ("shop.example:1", true),
            ("evil.example", false), ("origin.example.evil", false), ("xorigin.example", false),
            ("shop.example.", false),
            ("127.0.0.1.evil.example", false), ("10.0.0.1", false), ("localhost.evil.example", false),
            ("0.0.0.0", false), ("a.shop.lan", true), ("A.SHOP.lan:1", true), ("shop.lan", false),
            ("a.b.shop.lan", false), ("a.shop.lan.evil.example", false),
        ]
    )
    func names(host: String, isOwn: Bool) throws {
        let pattern = try HostPattern("*.shop.lan")
        let router = try Self.gateway {
            $0.ownNames = [Array("shop.example".utf8)]
            $0.ownNamePatterns = [pattern]
        }
        let request = try head("GET /x HTTP/1.1", "Host: \(host)")
        var key: [UInt8] = []
        #expect((router.hits.appendKey(of: request, to: &key) != nil) == isOwn)
        #expect((router.route(request).refusal == nil) == isOwn)
        if !isOwn {
            #expect(router.route(request).refusal?.status == 421)
            #expect(router.route(request).refusal?.detail.contains("`access.own-names`") == true)
        }
        let open = try Self.gateway { $0.answersToEveryName = true }
        #expect(open.route(request).summary == "gateway \(Self.origin)/x")
    }

    @Test("a client of HTTP/1.0 need not name a host; every name for the gateway is none for the prefix form")
    func otherNames() throws {
        #expect(try Self.gateway().route(head("GET /x HTTP/1.0")).summary == "gateway \(Self.origin)/x")
        let open = try Self.gateway {
            $0.routes = .all
            $0.answersToEveryName = true
        }
        let prefix = try head("GET /http://a.example/ HTTP/1.1", "Host: evil.example")
        #expect(open.route(prefix).summary == "refused 421")
    }
}
