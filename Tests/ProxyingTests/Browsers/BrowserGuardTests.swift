import HTTPCore
import Testing

@testable import Proxying

/// Web pages and the prefix gateway (H-065).
@Suite struct BrowserGuardTests {
    private static func status(_ fields: String..., names: [String] = []) throws -> UInt16? {
        let request = try head("GET /http://org.example/ HTTP/1.1", fields)
        return try router { $0.ownNames = names.map { Array($0.utf8) } }.route(request).refusal?.status
    }

    @Test(
        "names of the loopback are ours, with any port and in any case",
        arguments: [
            "127.0.0.1", "127.0.0.1:3128", "127.1.2.3:80", "localhost", "LOCALHOST:1", "[::1]:3128", "github.localhost",
            "a.b.Localhost:3128", "[::ffff:127.0.0.1]",
        ]
    )
    func ours(host: String) throws {
        #expect(try Self.status("Host: \(host)") == nil)
    }

    @Test(
        "any other Host is 421: it may be a name somebody made resolve to us",
        arguments: [
            "evil.example", "localhost.evil.example", "evil-localhost", "127.0.0.1.evil.example", "128.0.0.1",
            "10.0.0.1:3128", "[::2]", "localhost.", "xlocalhost",
        ]
    )
    func foreign(host: String) throws {
        #expect(try Self.status("Host: \(host)") == 421)
    }

    @Test("a configured name is ours, whole and in any case")
    func configured() throws {
        #expect(try Self.status("Host: Proxy.example:3128", names: ["proxy.example"]) == nil)
        #expect(try Self.status("Host: a.proxy.example", names: ["proxy.example"]) == 421)
        #expect(try Self.status("Host: proxy.org.example", names: ["proxy.example"]) == 421)
        #expect(try Self.status("Host: proxy.example") == 421)
    }

    @Test("a name that fits a pattern is ours, at any port and in any case")
    func patterns() throws {
        let patterns = [try HostPattern("*.lan"), try HostPattern("**.{a,b}.example")]
        for (host, isOurs) in [
            ("proxy.lan", true), ("Proxy.LAN:3128", true), ("a.b.lan", false), ("lan", false),
            ("proxy.lan.evil", false),
            ("b.example", true), ("x.y.a.example:1", true), ("c.example", false), ("10.0.0.1", false),
        ] {
            let request = try head("GET /http://org.example/ HTTP/1.1", "Host: \(host)")
            let router = try router { $0.ownNamePatterns = patterns }
            #expect(router.route(request).refusal?.status == (isOurs ? nil : 421), "\(host)")
            var key: [UInt8] = []
            #expect((router.hits.appendKey(of: request, to: &key) != nil) == isOurs, "\(host)")
        }
    }

    @Test("a client of HTTP/1.0 need not send Host")
    func noHost() throws {
        let request = try head("GET /http://org.example/ HTTP/1.0")
        #expect(try router().route(request).refusal == nil)
    }

    @Test(
        "requests of other sites are refused",
        arguments: ["cross-site", "same-site", "nonsense", ""]
    )
    func otherSite(value: String) throws {
        #expect(try Self.status("Host: localhost", "Sec-Fetch-Site: \(value)") == 403)
    }

    @Test("requests of no site and of our own are served", arguments: ["none", "same-origin"])
    func ownSite(value: String) throws {
        #expect(try Self.status("Host: localhost", "Sec-Fetch-Site: \(value)", "Sec-Fetch-Mode: cors") == nil)
    }

    @Test(
        "an Origin must be that of the Host, to the port",
        arguments: [
            ("http://localhost:3128", nil), ("HTTP://LOCALHOST:3128", nil), ("http://localhost", 403),
            ("https://localhost:3128", 403), ("http://evil.example", 403), ("null", 403), ("", 403),
        ] as [(String, UInt16?)]
    )
    func origin(value: String, status: UInt16?) throws {
        #expect(try Self.status("Host: localhost:3128", "Origin: \(value)") == status)
    }

    @Test("every line of a field counts, in any case")
    func repeatedFields() throws {
        #expect(try Self.status("Host: localhost", "Sec-Fetch-Site: none", "Sec-Fetch-Site: cross-site") == 403)
        #expect(try Self.status("Host: localhost", "Origin: http://localhost", "Origin: http://b.example") == 403)
        #expect(try Self.status("Host: localhost", "Sec-Fetch-Mode: Navigate") == 403)
        #expect(try Self.status("Host: localhost", "Sec-Fetch-Site: Same-Origin") == nil)
    }

    @Test("documents are refused, and the answer names what to use instead")
    func navigation() throws {
        #expect(try Self.status("Host: localhost", "Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate") == 403)
        #expect(try Self.status("Host: localhost", "Sec-Fetch-Dest: document") == 403)
        let request = try head("GET /http://a.example/ HTTP/1.1", "Host: localhost", "Sec-Fetch-Dest: document")
        #expect(try router().route(request).refusal?.detail.contains("proxy") == true)
    }

    @Test("a forward proxy's and a reverse proxy's own routes are for browsers too")
    func otherRoutes() throws {
        let fields = [
            "Host: a.example", "Origin: http://b.example", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate",
        ]
        #expect(try router().route(head("GET http://a.example/ HTTP/1.1", fields)).refusal == nil)
        #expect(try router(gateway: "http://o.example").route(head("GET /a HTTP/1.1", fields)).refusal == nil)
    }
}
