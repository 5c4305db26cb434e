import HTTPCore
import Testing

@testable import Proxying

/// How requests name services.
@Suite struct ServiceRouterTests {
    private static func services() throws -> [ServiceRoute] {
        [
            ServiceRoute(name: "api", base: try TargetURI(parsing: "http://api.example:8080/v1/")),
            ServiceRoute(name: "whole", base: try TargetURI(parsing: "http://whole.example")),
            ServiceRoute(
                name: "secret",
                base: try TargetURI(parsing: "http://secret.example/s"),
                injected: [(Array("Authorization".utf8), Array("Bearer t".utf8))],
                allowOrigins: [Array("http://App.example".utf8)]
            ),
        ]
    }

    private static func route(
        _ target: String,
        _ fields: String...,
        change: (inout ProxyOptions) -> Void = { _ in }
    ) throws -> Route {
        let services = try services()
        return try router {
            $0.services = services
            change(&$0)
        }.route(head("GET \(target) HTTP/1.1", fields))
    }

    @Test(
        "path and host of a service mean its base and what follows",
        arguments: [
            ("/api/a/b?c=d", "127.0.0.1:3128", "servicePath api http://api.example:8080/v1/a/b?c=d"),
            ("/api/", "localhost", "servicePath api http://api.example:8080/v1/"),
            ("/api", "localhost", "servicePath api http://api.example:8080/v1"),
            ("/api?q", "localhost", "servicePath api http://api.example:8080/v1?q"),
            ("/a/b?c=d", "api.localhost:3128", "serviceHost api http://api.example:8080/v1/a/b?c=d"),
            ("/", "API.localhost", "serviceHost api http://api.example:8080/v1/"),
            ("/whole", "localhost", "servicePath whole http://whole.example/"),
            ("/whole?q", "localhost", "servicePath whole http://whole.example/?q"),
            ("/x", "whole.localhost", "serviceHost whole http://whole.example/x"),
            (
                "/http://other.example/", "whole.localhost",
                "serviceHost whole http://whole.example/http://other.example/"
            ),
            ("/api/x", "whole.localhost", "serviceHost whole http://whole.example/api/x"),
        ]
    )
    func targets(target: String, host: String, expected: String) throws {
        #expect(try Self.route(target, "Host: \(host)").summary == expected)
    }

    @Test(
        "dot segments are resolved below the base and never lead out of it",
        arguments: [
            ("/a/../b", "/b"), ("/../../x", "/x"), ("/..", "/"), ("/a/.", "/a/"), ("/%2e%2E/x", "/x"),
            ("/a/.%2e/b", "/b"), ("/a%2Fb", "/a%2Fb"), ("/a//b", "/a//b"), ("/a?x=/../y", "/a?x=/../y"),
            ("/...", "/..."), ("/a;b/..c", "/a;b/..c"),
        ]
    )
    func dotSegments(rest: String, expected: String) throws {
        #expect(try Self.route("/api" + rest, "Host: localhost").uri == "http://api.example:8080/v1" + expected)
        #expect(try Self.route(rest, "Host: api.localhost").uri == "http://api.example:8080/v1" + expected)
    }

    @Test(
        "encoded ways up are refused",
        arguments: ["/..%2fx", "/a%2f..%2f..", "/..%5cx", "/a/..;/x", "/%2e%2e%3bx/y", "/..%2F"]
    )
    func encodedWaysUp(rest: String) throws {
        #expect(try Self.route("/api" + rest, "Host: localhost").refusal?.status == 400)
        #expect(try Self.route(rest, "Host: api.localhost").refusal?.status == 400)
    }

    @Test("a host below localhost that is no service's is 404, and the answer names the services")
    func unknownHost() throws {
        for host in ["other.localhost", "a.api.localhost:3128"] {
            let refusal = try Self.route("/x", "Host: \(host)").refusal
            #expect(refusal?.status == 404)
            #expect(refusal?.detail.contains("api, whole, secret") == true)
        }
    }

    @Test("services are reached by our own names only: any other Host is 421")
    func foreignHost() throws {
        #expect(try Self.route("/api/x", "Host: evil.example").refusal?.status == 421)
        #expect(try Self.route("/x", "Host: api.localhost.evil.example").refusal?.status == 400)
        #expect(
            try Self.route("/api/x", "Host: proxy.example") { $0.ownNames = [Array("proxy.example".utf8)] }.uri != nil
        )
    }

    @Test("paths that only begin like a service's name are none")
    func similarPaths() throws {
        for target in ["/apis/x", "/ap/x", "/api%2fx", "//api/x"] {
            #expect(try Self.route(target, "Host: localhost").refusal?.status == 400, "\(target)")
        }
    }

    @Test("a reverse proxy keeps its paths; services have their hosts there")
    func besideGateway() throws {
        let base = GatewayBase(try TargetURI(parsing: "http://origin.example"))
        let gateway: (inout ProxyOptions) -> Void = { $0.gateway = base }
        #expect(try Self.route("/api/x", "Host: localhost", change: gateway).uri == "http://origin.example/api/x")
        #expect(try Self.route("/x", "Host: api.localhost", change: gateway).kind?.form == .serviceHost)
        #expect(try Self.route("/x", "Host: other.localhost", change: gateway).uri == "http://origin.example/x")
    }

    @Test("the fast path makes the same key, and leaves alone what it may not answer")
    func fastKey() throws {
        let services = try Self.services()
        let router = try router { $0.services = services }
        func key(_ target: String, _ fields: String...) throws -> String? {
            var bytes: [UInt8] = []
            guard try router.hits.appendKey(of: head("GET \(target) HTTP/1.1", fields), to: &bytes) != nil else {
                return nil
            }
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(try key("/api/a?b=../c", "Host: localhost") == "http://api.example:8080/v1/a?b=../c")
        #expect(try key("/a", "Host: api.localhost") == "http://api.example:8080/v1/a")
        #expect(try key("/http://x.example/", "Host: api.localhost") == "http://api.example:8080/v1/http://x.example/")
        #expect(try key("/http://x.example/", "Host: localhost") == "http://x.example/")
        for target in ["/secret/a", "/api/../a", "/api/%2e", "/api", "/api?x"] {
            #expect(try key(target, "Host: localhost") == nil, "\(target)")
        }
        #expect(try key("/a", "Host: secret.localhost") == nil)
        #expect(try key("/api/a", "Host: evil.example") == nil)
        #expect(try key("/api/a", "Host: localhost", "Sec-Fetch-Site: none") == nil)
        #expect(try key("/a", "Host: api.localhost", "Sec-Fetch-Site: cross-site") == nil)
    }

    @Test("a service that injects everywhere does so on other routes, the longest base first")
    func everywhere() throws {
        let all = [
            ServiceRoute(
                name: "outer",
                base: try TargetURI(parsing: "http://a.example/x"),
                injected: [(Array("Authorization".utf8), Array("t".utf8))],
                injectsEverywhere: true
            ),
            ServiceRoute(name: "inner", base: try TargetURI(parsing: "http://a.example/x/y")),
        ]
        let router = try router { $0.services = all }
        func injector(_ target: String) throws -> String? {
            let head = try head("GET \(target) HTTP/1.1", "Host: localhost")
            var key: [UInt8] = []
            let route = router.route(head)
            #expect((router.hits.appendKey(of: head, to: &key) == nil) == (route.kind?.injector != nil), "\(target)")
            return route.kind?.injector?.route.name
        }
        #expect(try injector("http://a.example/x/z") == "outer")
        #expect(try injector("/http://a.example/x?q") == "outer")
        #expect(try injector("http://a.example/x/y/z") == nil)
        #expect(try injector("http://a.example/xy") == nil)
        #expect(try injector("http://a.example:81/x/z") == nil)
        let foreign = try head("GET http://a.example/x/z HTTP/1.1", "Host: a.example", "Origin: http://b.example")
        #expect(router.route(foreign).refusal?.status == 403)
        let own = try head("GET http://a.example/x/z HTTP/1.1", "Host: a.example", "Origin: http://a.example")
        #expect(router.route(own).refusal == nil)
    }

    @Test(
        "pages of other sites may not use a service, whether or not it injects, unless it lists them",
        arguments: [
            (["Origin: http://evil.example"], 403), (["Origin: null"], 403), (["Sec-Fetch-Site: cross-site"], 403),
            (["Sec-Fetch-Site: same-site"], 403),
            (["Origin: http://localhost:3128", "Sec-Fetch-Site: cross-site"], 403),
            (["Origin: http://app.example", "Origin: http://app.example"], 403),
            (["Origin: http://localhost:3128", "Sec-Fetch-Site: same-origin"], nil), (["Sec-Fetch-Site: none"], nil),
            (["Origin: http://app.example", "Sec-Fetch-Site: cross-site"], nil), ([], nil),
        ] as [([String], UInt16?)]
    )
    func foreignPages(fields: [String], status: UInt16?) throws {
        let services = try Self.services()
        let router = try router { $0.services = services }
        let request = try head("GET /secret/x HTTP/1.1", ["Host: localhost:3128"] + fields)
        #expect(router.route(request).refusal?.status == status)
        // One that injects nothing, and lists nobody.
        let plain = try head("GET /api/x HTTP/1.1", ["Host: localhost:3128"] + fields)
        let isListed = fields.first == "Origin: http://app.example"
        #expect(router.route(plain).refusal?.status == (isListed ? 403 : status))
    }
}
