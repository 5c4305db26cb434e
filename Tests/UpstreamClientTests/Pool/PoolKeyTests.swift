import Eventing
import HTTPCore
import Testing

@testable import UpstreamClient

/// What decides whether a connection fits a request.
@Suite struct PoolKeyTests {
    private static func key(
        _ uri: String = "http://a.example:80/",
        identity: UInt64 = 0,
        route: ConnectRoute = .direct
    ) throws -> PoolKey { PoolKey(try TargetURI(parsing: uri), identity: identity, route: route) }

    @Test("keys with one member each that differs are different, whatever their hashes (H-054)")
    func different() throws {
        let socks = ParentProxy(.socks5(looksUpNames: true), host: Array("proxy.example".utf8), port: 1080)
        let other = ParentProxy(.socks5(looksUpNames: true), host: Array("proxy.example".utf8), port: 1081)
        let all = [
            try Self.key(), try Self.key("http://b.example:80/"), try Self.key("http://a.example:81/"),
            try Self.key("https://a.example:80/"), try Self.key(identity: 1), try Self.key(identity: 2),
            try Self.key(route: .tunnel(socks)), try Self.key(route: .tunnel(other)),
            try Self.key(route: .relay(socks)),
        ]
        for (index, one) in all.enumerated() {
            for (otherIndex, other) in all.enumerated() { #expect((one == other) == (index == otherIndex)) }
        }
    }

    @Test("keys with equal members are equal and have one hash, whatever the path and the case of the host")
    func equal() throws {
        let one = try Self.key("http://A.example/x", identity: 3)
        let other = try Self.key("http://a.EXAMPLE:80/y?z", identity: 3)
        #expect(one == other && one.hashValue == other.hashValue)
        #expect(try one.isDirect(to: TargetURI(parsing: "http://a.example/")))
        #expect(try !one.isDirect(to: TargetURI(parsing: "http://b.example/")))
    }
}
