import Eventing
import HTTPCore
import Testing

@testable import Proxying

/// Where a request goes, by its target alone.
@Suite struct RouterTests {
    private static let local = "Host: 127.0.0.1:3128"

    // MARK: Absolute form

    @Test(
        "an absolute-form target is the URI in canonical form, whatever Host says (H-059, H-062)",
        arguments: [
            ("http://org.example/a?b", "http://org.example/a?b"),
            ("HTTP://org.EXAMPLE:80/A", "http://org.example/A"),
            ("https://org.example:443", "https://org.example/"),
            ("http://org.example:8080?q", "http://org.example:8080/?q"),
            ("http://org.example/a/../b//c%2F", "http://org.example/a/../b//c%2F"),
            ("http://[::1]:81/", "http://[::1]:81/"),
            ("http://site.example./", "http://site.example./"),
        ]
    )
    func absoluteForm(target: String, uri: String) throws {
        let route = try router().route(head("GET \(target) HTTP/1.1", "Host: other.example"))
        #expect(route.summary == "forward \(uri)")
    }

    @Test(
        "a reverse proxy that is a forward proxy takes absolute-form targets, but none that Host contradicts (H-016, H-060)"
    )
    func absoluteFormOnGateway() throws {
        let gateway = try router(gateway: "http://origin.example") { $0.routes = .forward }
        let right = try head("GET http://a.example:80/x HTTP/1.1", "Host: A.example")
        #expect(gateway.route(right).summary == "forward http://a.example/x")
        for host in ["b.example", "a.example:81", "a.org.example"] {
            let wrong = try head("GET http://a.example/x HTTP/1.1", "Host: \(host)")
            #expect(gateway.route(wrong).summary == "refused 400", "\(host)")
            // A forward proxy goes by the target.
            #expect(try router().route(wrong).summary == "forward http://a.example/x", "\(host)")
        }
    }

    @Test("to clients nobody listed a reverse proxy is no forward proxy (H-139)")
    func strangersOnGateway() throws {
        let stranger = SocketAddress.ip(.v4(0xC000_0201), port: 4711)
        let elsewhere = try head("GET http://other.example/x HTTP/1.1", "Host: other.example")
        let own = try head("GET http://origin.example/x HTTP/1.1", "Host: origin.example")
        let plain = try head("GET /x HTTP/1.1", "Host: anything")
        let tunnel = try head("CONNECT other.example:443 HTTP/1.1", "Host: other.example:443")
        var options = try router(gateway: "http://origin.example") { $0.routes = .forward }.options
        #expect(Router(options: options).route(tunnel, from: stranger).summary == "refused 403")
        #expect(Router(options: options).route(elsewhere, from: stranger).summary == "refused 403")
        #expect(Router(options: options).route(own, from: stranger).summary == "forward http://origin.example/x")
        #expect(Router(options: options).route(plain, from: stranger).summary == "gateway http://origin.example/x")
        options.allowsOpenProxy = true
        #expect(Router(options: options).route(elsewhere, from: stranger).summary == "forward http://other.example/x")
        options.allowsOpenProxy = false
        options.listsClients = true
        #expect(Router(options: options).route(elsewhere, from: stranger).summary == "forward http://other.example/x")
    }

    // MARK: Origin form

    @Test(
        "a reverse proxy appends the target to its base, path and all",
        arguments: [
            ("http://origin.example", "/", "http://origin.example/"),
            ("http://origin.example", "/a/b?c=/d", "http://origin.example/a/b?c=/d"),
            ("http://origin.example:8000/", "//a/../b", "http://origin.example:8000//a/../b"),
            ("http://origin.example/base", "/a", "http://origin.example/base/a"),
            ("http://Origin.example/base/", "/", "http://origin.example/base/"),
            ("https://origin.example:443/v1", "/%2e%2e/a", "https://origin.example/v1/%2e%2e/a"),
        ]
    )
    func gateway(base: String, target: String, uri: String) throws {
        let route = try router(gateway: base).route(head("GET \(target) HTTP/1.1", "Host: any.example"))
        #expect(route.summary == "gateway \(uri)")
    }

    @Test("a forward proxy takes no path but its own page, and says what to send (H-016)")
    func pathOnForwardProxy() throws {
        let refusal = try router().route(head("GET /index.html HTTP/1.1", Self.local)).refusal
        #expect(refusal?.status == 400)
        #expect(refusal?.detail.contains("http://host/path") == true)
        #expect(try router().route(head("GET /?a HTTP/1.1", Self.local)).refusal?.status == 400)
    }

    @Test("the landing page is read by GET and HEAD, under a name of ours only")
    func landingPage() throws {
        #expect(try router().route(head("GET / HTTP/1.1", Self.local)).summary == "landing page")
        #expect(try router().route(head("HEAD / HTTP/1.1", Self.local)).summary == "landing page")
        #expect(try router().route(head("POST / HTTP/1.1", Self.local, "Content-Length: 0")).summary == "refused 405")
        #expect(try router().route(head("GET / HTTP/1.1", "Host: rebound.example")).summary == "refused 421")
    }

    // MARK: Prefix gateway

    @Test(
        "what stands behind the slash of a prefix obeys the rules of absolute-form (H-065)",
        arguments: [
            ("/http://org.example/a?b", "http://org.example/a?b"),
            ("/HTTPS://org.Example:443", "https://org.example/"),
            ("/http://org.example:8080?x", "http://org.example:8080/?x"),
            ("/http://org.example/a//b", "http://org.example/a//b"),
            ("/http://org.example/?u=http://other.example/", "http://org.example/?u=http://other.example/"),
        ]
    )
    func prefix(target: String, uri: String) throws {
        #expect(try router().route(head("GET \(target) HTTP/1.1", Self.local)).summary == "prefix \(uri)")
        let gateway = try router(gateway: "http://origin.example") { $0.routes = .prefix }
        #expect(try gateway.route(head("GET \(target) HTTP/1.1", Self.local)).summary == "prefix \(uri)")
    }

    @Test(
        "a prefix that is misspelt, nested or escaped is refused, also by a reverse proxy (H-065)",
        arguments: [
            "/http:org.example/", "/http:///a", "/http://", "/http:/", "/http:/a.example/https%3A//b.example/",
            "/http%3a%2f%2forg.example/", "/http://user@example.example/", "/http://org.example:0/",
            "/http://org.example:65536/", "/http://org.exa%6Dple/", "/http://a.example/http://b.example/",
            "/http://a.example/https:/b.example/",
        ]
    )
    func badPrefix(target: String) throws {
        let request = try head("GET \(target) HTTP/1.1", Self.local)
        #expect(try router().route(request).summary == "refused 400")
        let gateway = try router(gateway: "http://origin.example") { $0.routes = .prefix }
        #expect(gateway.route(request).summary == "refused 400")
    }

    @Test(
        "a prefix as clients are known to misspell it leads to the right one, for reading and for tools only (H-065)",
        arguments: [
            ("/http:/org.example/a?b", "/http://org.example/a?b"),
            ("/https%3A//org.example%3A81/", "/https://org.example:81/"),
        ]
    )
    func misspeltPrefix(target: String, path: String) throws {
        for router in [try router(), try router(gateway: "http://origin.example") { $0.routes = .prefix }] {
            #expect(try router.route(head("GET \(target) HTTP/1.1", Self.local)).summary == "moved \(path)")
            #expect(try router.route(head("HEAD \(target) HTTP/1.1", Self.local)).summary == "moved \(path)")
            #expect(try router.route(head("POST \(target) HTTP/1.1", Self.local)).summary == "refused 400")
            #expect(try router.route(head("GET \(target) HTTP/1.1", "Host: evil.example")).summary == "refused 400")
            let page = try head("GET \(target) HTTP/1.1", Self.local, "Sec-Fetch-Site: cross-site")
            #expect(router.route(page).summary == "refused 400")
        }
    }

    @Test("paths that only resemble a prefix are paths")
    func noPrefix() throws {
        let gateway = try router(gateway: "http://origin.example") { $0.routes = .prefix }
        for path in ["/httpd:", "/http", "/http//a", "/ftp://a.example/", "/a/http://b.example/"] {
            let route = try gateway.route(head("GET \(path) HTTP/1.1", Self.local))
            #expect(route.summary == "gateway http://origin.example\(path)")
        }
    }

    @Test("the prefix gateway can be off (H-065)")
    func prefixOff() throws {
        let router = try router { $0.routes.remove(.prefix) }
        let route = try router.route(head("GET /http://org.example/ HTTP/1.1", Self.local))
        #expect(route.summary == "refused 403")
    }

    // MARK: Ports

    @Test(
        "no request goes to a port of another protocol, on any route (H-138)",
        arguments: [25, 465, 587, 110, 143] as [UInt16]
    )
    func blockedPorts(port: UInt16) throws {
        let targets = ["http://org.example:\(port)/", "/http://org.example:\(port)/"]
        for target in targets {
            let route = try router().route(head("GET \(target) HTTP/1.1", Self.local))
            #expect(route.summary == "refused 403", "\(target)")
            let server = try router().route(head("OPTIONS \(target.dropLast()) HTTP/1.1", Self.local))
            #expect(server.summary == "refused 403", "\(target)")
        }
    }

    @Test("the ports refused are those given")
    func chosenPorts() throws {
        let router = try router { $0.blockedPorts = [81] }
        #expect(try router.route(head("GET http://a.example:81/ HTTP/1.1", Self.local)).summary == "refused 403")
        #expect(router.route(try head("GET http://a.example:25/ HTTP/1.1", Self.local)).refusal == nil)
    }

    // MARK: CONNECT

    @Test(
        "CONNECT reaches the ports allowed (H-079)",
        arguments: [
            ("org.example:443", "tunnel org.example:443"), ("Org.EXAMPLE:8443", "tunnel org.example:8443"),
            ("[::1]:443", "tunnel [::1]:443"), ("org.example:80", "refused 403"), ("org.example:25", "refused 403"),
        ]
    )
    func connect(target: String, summary: String) throws {
        #expect(try router().route(head("CONNECT \(target) HTTP/1.1", "Host: \(target)")).summary == summary)
    }

    @Test("the ports of CONNECT are those given, and the refusal names the setting")
    func connectPorts() throws {
        let router = try router { $0.connectPorts = [22] }
        #expect(try router.route(head("CONNECT a.example:22 HTTP/1.1", "Host: a.example:22")).refusal == nil)
        let refusal = try router.route(head("CONNECT a.example:443 HTTP/1.1", "Host: a.example:443")).refusal
        #expect(refusal?.detail.contains("access.connect-ports") == true)
    }

    @Test("a reverse proxy opens no tunnel (H-082)")
    func connectOnGateway() throws {
        let gateway = try router(gateway: "http://origin.example")
        #expect(
            try gateway.route(head("CONNECT a.example:443 HTTP/1.1", "Host: a.example:443")).summary == "refused 405"
        )
    }

    // MARK: OPTIONS and TRACE

    @Test("OPTIONS for a server as a whole is never a path (H-015)")
    func serverWide() throws {
        #expect(try router().route(head("OPTIONS * HTTP/1.1", Self.local)).summary == "proxy itself")
        let gateway = try router(gateway: "http://origin.example/base")
        #expect(
            try gateway.route(head("OPTIONS * HTTP/1.1", Self.local)).summary == "server http://origin.example/base/"
        )
        for target in ["http://a.example", "/http://a.example"] {
            let route = try router().route(head("OPTIONS \(target) HTTP/1.1", Self.local))
            #expect(route.summary == "server http://a.example/", "\(target)")
        }
        let path = try router().route(head("OPTIONS http://a.example/ HTTP/1.1", Self.local))
        #expect(path.summary == "forward http://a.example/")
        let query = try router().route(head("OPTIONS http://a.example?q HTTP/1.1", Self.local))
        #expect(query.summary == "forward http://a.example/?q")
    }

    @Test("Max-Forwards of 0 makes the proxy the one asked (H-084)")
    func serverWideMaxForwards() throws {
        let gateway = try router(gateway: "http://origin.example")
        let none = try head("OPTIONS * HTTP/1.1", Self.local, "Max-Forwards: 0")
        #expect(gateway.route(none).summary == "proxy itself")
        let one = try head("OPTIONS * HTTP/1.1", Self.local, "Max-Forwards: 1")
        #expect(gateway.route(one).summary == "server http://origin.example/")
    }

    @Test(
        "Max-Forwards is digits, few enough to count (H-084)",
        arguments: [
            ("0", 0), ("10", 10), ("007", 7), ("999999999", 999_999_999), ("9999999999", nil), ("-1", nil), ("1a", nil),
            ("", nil), ("1, 2", nil), ("+1", nil), ("1:", nil), ("1/", nil),
        ] as [(String, Int?)]
    )
    func maxForwards(value: String, number: Int?) throws {
        let request = try head("OPTIONS http://a.example/ HTTP/1.1", Self.local, "Max-Forwards: \(value)")
        #expect(Router.maxForwards(request) == number)
    }

    @Test("TRACE is refused on every route (H-083)")
    func trace() throws {
        for target in ["http://a.example/", "/http://a.example/", "/"] {
            let request = try head("TRACE \(target) HTTP/1.1", Self.local)
            #expect(try router().route(request).summary == "refused 405", "\(target)")
            #expect(try router(gateway: "http://origin.example").route(request).summary == "refused 405", "\(target)")
        }
    }

    // MARK: The hot path

    @Test("every route writes one URL the same way: as the same resource (S-013)")
    func oneURLOneResource() throws {
        let paths = ["", "/", "/a?b", "?q", "/a/../b", "//x", "/%7e"]
        for path in paths {
            let forward = try head("GET http://Origin.example:80\(path) HTTP/1.1", Self.local)
            let prefixed = try head("GET /HTTP://origin.EXAMPLE\(path) HTTP/1.1", Self.local)
            let plain = try router()
            #expect(plain.route(forward).uri == plain.route(prefixed).uri, "\(path)")
            guard path.hasPrefix("/") else { continue }
            let gateway = try router(gateway: "http://origin.example")
            let behind = try head("GET \(path) HTTP/1.1", Self.local)
            #expect(gateway.route(behind).uri == plain.route(forward).uri, "\(path)")
        }
    }

    @Test(
        "the key of the hot path is the URI of the route, of the same kind",
        arguments: [
            "http://a.example", "http://A.example:80/", "https://a.example:443/x?y", "http://a.example:8080?q",
            "/http://A.example", "/https://a.example:444/b?", "/", "/a", "//", "/a/../b?c", "/httpd:", "/http:/a",
            "/http://a.example:25/",
        ],
        [nil, "http://origin.example", "http://origin.example:8000/base", "https://origin.example:443/v1/"]
    )
    func hotPath(target: String, gateway: String?) throws {
        let request = try head("GET \(target) HTTP/1.1", Self.local)
        let router = try router(gateway: gateway)
        var key: [UInt8] = []
        guard let kind = router.hits.appendKey(of: request, to: &key) else { return }
        let route = router.route(request)
        // A refusal must not be answered from the store; a port that is refused was never asked.
        if route.refusal != nil {
            #expect(target.contains(":25/"))
            return
        }
        #expect(route.kind?.form == kind)
        #expect(route.uri == String(decoding: key, as: UTF8.self))
    }

    @Test("the hot path takes all three routes")
    func hotPathTakes() throws {
        let gateway = try router(gateway: "http://origin.example")
        var key: [UInt8] = []
        #expect(
            try router().hits.appendKey(of: head("GET http://a.example/ HTTP/1.1", Self.local), to: &key) == .forward
        )
        #expect(
            try router().hits.appendKey(of: head("GET /http://a.example/ HTTP/1.1", Self.local), to: &key) == .prefix
        )
        #expect(try gateway.hits.appendKey(of: head("GET /a HTTP/1.1", "Host: any.example"), to: &key) == .gateway)
    }

    @Test(
        "in front of one origin the hot path takes its absolute-form targets, others only where nobody is a stranger",
        arguments: [
            ("http://origin.example/a", "origin.example", true), ("http://ORIGIN.example:80/a", "Origin.example", true),
            ("http://origin.example:8080/a", "origin.example:8080", false),
            ("https://origin.example/a", "origin.example", false), ("http://a.example/", "a.example", false),
            ("http://origin.exampl/", "origin.exampl", false),
        ]
    )
    func hotPathOfGateway(target: String, host: String, isOwn: Bool) throws {
        let gateway = try router(gateway: "http://origin.example")
        let open = try router(gateway: "http://origin.example") {
            $0.routes = .forward
            $0.allowsOpenProxy = true
        }
        let listed = try router(gateway: "http://origin.example") {
            $0.routes = .forward
            $0.listsClients = true
        }
        let request = try head("GET \(target) HTTP/1.1", "Host: \(host)")
        for (router, isTaken) in [(gateway, isOwn), (open, true), (listed, true)] {
            var key: [UInt8] = []
            #expect(router.hits.appendKey(of: request, to: &key) == (isTaken ? .forward : nil))
            if isTaken { #expect(router.route(request).uri == String(decoding: key, as: UTF8.self)) }
            // Whoever is served on the hot path would be on the route.
            let stranger = SocketAddress.ip(.v4(0xC000_0201), port: 4711)
            if router.options.listsClients == false, isTaken {
                #expect(router.route(request, from: stranger).refusal == nil)
            }
            let contradicted = try head("GET \(target) HTTP/1.1", "Host: other.example")
            #expect(router.hits.appendKey(of: contradicted, to: &key) == nil)
        }
    }

    @Test("the hot path leaves to the route whatever it would have to judge")
    func hotPathLeaves() throws {
        let gateway = try router(gateway: "http://origin.example")
        let noPrefix = try router { $0.routes.remove(.prefix) }
        var key: [UInt8] = []
        // Host may contradict.
        #expect(
            try gateway.hits.appendKey(of: head("GET http://a.example/ HTTP/1.1", "Host: b.example"), to: &key) == nil
        )
        // Not a name of ours; a browser.
        let prefix = "GET /http://a.example/ HTTP/1.1"
        #expect(try router().hits.appendKey(of: head(prefix, "Host: rebound.example"), to: &key) == nil)
        #expect(try router().hits.appendKey(of: head(prefix, Self.local, "Origin: http://b.example"), to: &key) == nil)
        #expect(try router().hits.appendKey(of: head(prefix, Self.local, "Sec-Fetch-Site: none"), to: &key) == nil)
        #expect(try noPrefix.hits.appendKey(of: head(prefix, Self.local), to: &key) == nil)
        #expect(try router().hits.appendKey(of: head("GET / HTTP/1.1", Self.local), to: &key) == nil)
    }

    // MARK: Over TLS

    @Test("over TLS our own origin is https, and its pages may use what they may by http")
    func ownOriginOverTLS() throws {
        let request = "GET /http://a.example/x HTTP/1.1"
        let own = try head(request, "Host: localhost:3443", "Origin: https://localhost:3443")
        let plain = try head(request, "Host: localhost:3443", "Origin: http://localhost:3443")
        #expect(try router().overTLS.route(own).summary == "prefix http://a.example/x")
        #expect(try router().overTLS.route(plain).summary == "refused 403")
        #expect(try router().route(own).summary == "refused 403")
    }

    @Test("over TLS the prefix gateway makes no sandbox beyond loopback: every browser tells the site there")
    func prefixOverTLS() throws {
        let plain = try router {
            $0.servesBeyondLoopback = true
            $0.ownNames = [Array("proxy.example".utf8)]
        }
        let tool = try head("GET /http://a.example/x HTTP/1.1", "Host: proxy.example:3443")
        let page = try head(
            "GET /http://a.example/x HTTP/1.1",
            "Host: proxy.example:3443",
            "Sec-Fetch-Site: cross-site"
        )
        let unknown = try head("GET /http://a.example/x HTTP/1.1", "Host: other.example:3443")
        #expect(plain.route(tool).kind?.sharedOrigin?.cookies == .drop)
        #expect(plain.overTLS.route(tool).summary == "prefix http://a.example/x")
        #expect(plain.overTLS.route(tool).kind?.sharedOrigin?.cookies == .scoped)
        #expect(plain.overTLS.route(page).summary == "refused 403")
        #expect(plain.overTLS.route(unknown).summary == "refused 421")
        var key: [UInt8] = []
        #expect(plain.hits.appendKey(of: tool, to: &key) == nil)
        key = []
        #expect(plain.overTLS.hits.appendKey(of: tool, to: &key) == .prefix && key == Array("http://a.example/x".utf8))
        #expect(plain.overTLS.hits.appendKey(of: page, to: &key) == nil)
    }

    @Test("references that lead out of a service's host are written in the prefix form, by https over TLS")
    func elsewhereOverTLS() throws {
        let services = try router {
            $0.services = [
                ServiceRoute(
                    name: "api",
                    base: TargetURI(scheme: .https, host: Array("a.example".utf8), port: 443, path: [])
                )
            ]
        }
        let request = try head("GET /x HTTP/1.1", "Host: api.localhost:3443")
        #expect(services.overTLS.route(request).kind?.elsewhere == .prefixed(Array("https://localhost:3443/".utf8)))
        #expect(services.route(request).kind?.elsewhere == .prefixed(Array("http://localhost:3443/".utf8)))
    }

    @Test("the page on / names what clients that speak TLS have to write")
    func landingPageOverTLS() throws {
        let services = try router {
            $0.services = [
                ServiceRoute(
                    name: "api",
                    base: TargetURI(scheme: .https, host: Array("a.example".utf8), port: 443, path: [])
                )
            ]
        }
        let page = LandingPage(
            try head("GET / HTTP/1.1", "Host: localhost:3443"),
            services.overTLS.options,
            passedTunnels: 0
        )
        #expect(
            page.text.contains("curl https://localhost:3443/https://example.org/")
                && page.services[0].link == "https://localhost:3443/api/"
                && page.services[0].host == "https://api.localhost:3443/"
        )
    }
}
