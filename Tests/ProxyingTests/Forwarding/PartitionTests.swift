import HTTPCaching
import HTTPCore
import Proxying
import ResourceCore
import Testing
import TestSupport

/// Whose stored responses a request may have.
@Suite struct PartitionTests {
    /// An origin that tells each credential what it is.
    private static func personal(_ cacheControl: String) -> RecordingOrigin {
        TestOrigin.answering { request in
            let name = (request["Authorization"] + request["X-Api-Key"]).joined()
            return response("200 OK", "Cache-Control: \(cacheControl)", content: "for <\(name)>")
        }
    }

    @Test(
        "what came for a credential is that credential's only (C-20.1, H-113, H-115)",
        arguments: ["Authorization", "X-Api-Key"]
    )
    func credentials(field: String) throws {
        let origin = Self.personal("max-age=600")
        let proxy = try TestProxy()
        let url = origin.url("/")
        #expect(proxy.ask(url, "\(field): alice")?.content == "for <alice>")
        #expect(proxy.ask(url, "\(field): bob")?.content == "for <bob>")
        #expect(proxy.ask(url)?.content == "for <>")
        #expect(origin.requests.count == 3)
        for name in ["alice", "bob"] {
            let again = proxy.ask(url, "\(field): \(name)")
            #expect(again?.content == "for <\(name)>" && again?.isHit == true, "\(name)")
        }
        #expect(origin.requests.count == 3)
    }

    @Test("equal prefixes and other case are other credentials (H-115)")
    func similarCredentials() throws {
        let origin = Self.personal("max-age=600")
        let proxy = try TestProxy()
        let url = origin.url("/")
        for name in ["alice", "alic", "Alice", "alice2"] {
            #expect(proxy.ask(url, "Authorization: \(name)")?.content == "for <\(name)>")
        }
        #expect(origin.requests.count == 4)
    }

    @Test("private is stored for its credential, and not at all without one (C-20.1)")
    func privateResponse() throws {
        let origin = Self.personal("private, max-age=600")
        let proxy = try TestProxy()
        let url = origin.url("/")
        #expect(proxy.ask(url, "Authorization: alice")?.isHit == false)
        #expect(proxy.ask(url, "Authorization: alice")?.isHit == true)
        #expect(proxy.ask(url)?.isHit == false)
        #expect(proxy.ask(url)?.isHit == false)
        #expect(origin.requests.count == 3)
    }

    @Test("public is everybody's, whoever asked first (RFC 9111 §3.5)")
    func publicResponse() throws {
        let origin = Self.personal("public, max-age=600")
        let proxy = try TestProxy()
        let url = origin.url("/")
        #expect(proxy.ask(url, "Authorization: alice")?.content == "for <alice>")
        #expect(proxy.ask(url, "Authorization: bob")?.isHit == true)
        #expect(proxy.ask(url)?.isHit == true)
        #expect(origin.requests.count == 1)
    }

    @Test(
        "a cookie tells answers apart where the setting or the route says so, and nowhere else (C-17.5, C-20.1b, H-113)"
    )
    func cookies() throws {
        let origin = TestOrigin.answering { request in
            let control = request.target == "/public" ? "public, max-age=600" : "max-age=600"
            return response("200 OK", "Cache-Control: \(control)", content: request["Cookie"].joined())
        }
        let base = try TargetURI(parsing: origin.url("/"))
        for (cookies, beyondLoopback) in [(.byRoute, false), (.byRoute, true), (.partition, false), (.share, true)]
            as [(CookieSharing, Bool)]
        {
            let isApart = cookies == .partition || (cookies == .byRoute && beyondLoopback)
            let change = { @Sendable (setup: inout TestProxy.Setup) in
                setup.service.caching.cookies = cookies
                setup.service.caching.isLoopbackListener = !beyondLoopback
                setup.options.services = [ServiceRoute(name: "api", base: base)]
            }
            let proxy = try TestProxy(change)
            let gateway = try TestProxy { setup in
                change(&setup)
                setup.options.gateway = GatewayBase(base)
            }
            let ways: [(TestProxy, String, Bool)] = [
                (proxy, origin.url("/forward"), isApart), (proxy, "/" + origin.url("/prefix"), isApart),
                (proxy, "/api/service", cookies == .partition), (gateway, "/gateway", cookies == .partition),
                (proxy, origin.url("/public"), false),
            ]
            for (proxy, target, isApart) in ways {
                #expect(proxy.ask(target, "Cookie: id=alice")?.content == "id=alice")
                let other = proxy.ask(target, "Cookie: id=bob")
                #expect(other?.isHit == !isApart && other?.content == (isApart ? "id=bob" : "id=alice"), "\(target)")
                let again = proxy.ask(target, "Cookie: id=alice")
                #expect(again?.isHit == true && again?.content == "id=alice", "\(target)")
                #expect(proxy.ask(target)?.content == (isApart ? "" : "id=alice"), "\(target)")
            }
        }
    }

    @Test("credentials go to the origin, and no credential is in an answer")
    func forwarded() throws {
        let origin = TestOrigin.answering { _ in response("200 OK", "Cache-Control: max-age=600", content: "x") }
        let proxy = try TestProxy()
        let reply = try #require(proxy.ask(origin.url("/"), "Authorization: secret", "Cookie: secret=1"))
        #expect(origin.requests.first?["Authorization"] == ["secret"])
        #expect(origin.requests.first?["Cookie"] == ["secret=1"])
        #expect(!reply.description.contains("secret"))
    }
}
