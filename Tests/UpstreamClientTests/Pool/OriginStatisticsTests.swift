import Eventing
import HTTPCore
import TestSupport
import Testing

@testable import UpstreamClient

/// What is known of each origin's connections.
struct OriginStatisticsTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test("origins with connections are listed, as many as asked for")
    func origins() throws {
        let servers = (0..<2).map { _ in
            TestOrigin { peer, _ in while peer.readHead() != nil { peer.send(Self.ok) } }
        }
        let client = try TestClient()
        #expect(client.limiter.origins(limit: 10).isEmpty)
        for server in servers { #expect(client.start(.to(server)).result() == .success("ok")) }
        let expected = servers.map { "http://127.0.0.1:\($0.port)" }.sorted()
        let found = client.limiter.origins(limit: 10)
        #expect(found.map(\.origin) == expected)
        #expect(found.allSatisfy { $0.connections == 1 && $0.idle == 1 && $0.waiting == 0 })
        #expect(client.limiter.origins(limit: 1).map(\.origin) == [expected[0]])
    }

    @Test(
        "an origin has the name that an outage gives it: without the default port",
        arguments: [
            "http://h.example:80/x", "http://h.example:443/", "https://h.example/", "https://h.example:80/",
            "http://[::1]:8080/",
        ]
    )
    func names(uri: String) throws {
        let uri = try TargetURI(parsing: uri)
        #expect(PoolKey(uri).origin == Origin(uri).text)
    }
}
