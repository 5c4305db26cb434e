import HTTPCore
import Testing

@testable import Proxying

/// What refusals of the router tell clients to do instead.
@Suite struct RefusalTextTests {
    private static func detail(_ line: String, _ router: Router, host: String = "localhost") throws -> String? {
        router.route(try head(line, "Host: \(host)")).refusal?.detail
    }

    @Test("a path that leads nowhere names the routes that the listener offers, and no other")
    func offers() throws {
        let services = [
            ServiceRoute(name: "a", base: try TargetURI(parsing: "http://a.example/")),
            ServiceRoute(name: "b", base: try TargetURI(parsing: "http://b.example/")),
        ]
        let begin = "the request target is a path, but this is "
        let (forward, prefix) = ("send http://host/path as a proxy request", "ask for /http://host/path here")
        let none = "ask for /NAME/path of a service (none is configured)"
        let named = "ask for /NAME/path of a service (there are a, b)"
        for (routes, isNamed, expected) in [
            (.all, false, "a forward proxy; \(forward), or \(prefix), or \(none)"),
            (.all, true, "a forward proxy; \(forward), or \(prefix), or \(named)"),
            ([.forward], false, "a forward proxy; \(forward)"), ([.prefix], false, "no forward proxy; \(prefix)"),
            ([.services], true, "no forward proxy; \(named)"),
            ([.prefix, .services], true, "no forward proxy; \(prefix), or \(named)"),
        ] as [(OfferedRoutes, Bool, String)] {
            let router = try router {
                $0.routes = routes
                if isNamed { $0.services = services }
            }
            #expect(try Self.detail("GET /index.html HTTP/1.1", router) == begin + expected)
        }
    }

    @Test("CONNECT to a port that is refused names the setting that refuses it")
    func ports() throws {
        let listed = try router { $0.connectPorts = [443] }
        #expect(
            try Self.detail("CONNECT a.example:25 HTTP/1.1", listed, host: "a.example:25")
                == "CONNECT to port 25 refused: add it to `access.connect-ports` in the proxy's settings"
        )
        let any = try router { $0.connectPorts = .any }
        #expect(
            try Self.detail("CONNECT a.example:25 HTTP/1.1", any, host: "a.example:25")
                == "CONNECT to port 25 refused: it is for another protocol than HTTP; take it out of "
                + "`access.blocked-ports` in the proxy's settings"
        )
    }

    @Test("statuses of refusals are those of their reasons")
    func statuses() throws {
        let services = [ServiceRoute(name: "a", base: try TargetURI(parsing: "http://a.example/"))]
        let all = try router { $0.services = services }
        let closed = try router { $0.routes = [] }
        for (line, host, router, status) in [
            ("CONNECT a.example:25 HTTP/1.1", "a.example:25", all, 403),
            ("CONNECT a.example:443 HTTP/1.1", "a.example:443", closed, 405),
            ("GET http://a.example/ HTTP/1.1", "a.example", closed, 421),
            ("GET /x HTTP/1.1", "none.localhost", all, 404),
            ("GET http://a.example:25/ HTTP/1.1", "a.example:25", all, 403),
            ("TRACE / HTTP/1.1", "localhost", all, 405),
            ("GET /http://a.example/ HTTP/1.1", "localhost", closed, 403),
            ("GET /a/..%2f HTTP/1.1", "localhost", all, 400),
            ("GET /x HTTP/1.1", "localhost", all, 400), ("PUT /proxy.pac HTTP/1.1", "localhost", all, 405),
        ] as [(String, String, Router, UInt16)] {
            #expect(router.route(try head(line, "Host: \(host)")).refusal?.status == status, "\(line)")
        }
    }

    @Test("a service's host that nobody has names those there are")
    func unknown() throws {
        let services = [ServiceRoute(name: "a", base: try TargetURI(parsing: "http://a.example/"))]
        let router = try router { $0.services = services }
        #expect(
            try Self.detail("GET /x HTTP/1.1", router, host: "b.localhost")
                == "no service has this host's name; of services, there are a; see `[service.NAME]` in the settings"
        )
    }
}
