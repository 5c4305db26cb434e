import Eventing
import HTTPCore
import Testing

@testable import UpstreamClient

/// What decides whether a connection fits a request.
@Suite struct OriginTests {
    private static func origin(
        _ uri: String = "http://a.test:80/",
        identity: UInt64 = 0,
        way: ConnectWay = .direct
    ) throws -> PoolKey { PoolKey(try TargetURI(parsing: uri), identity: identity, way: way) }

    @Test("origins with one member each that differs are different, whatever their hashes (H-054)")
    func different() throws {
        let socks = ParentProxy(.socks5(looksUpNames: true), host: Array("proxy.test".utf8), port: 1080)
        let other = ParentProxy(.socks5(looksUpNames: true), host: Array("proxy.test".utf8), port: 1081)
        let all = [
            try Self.origin(), try Self.origin("http://b.test:80/"), try Self.origin("http://a.test:81/"),
            try Self.origin("https://a.test:80/"), try Self.origin(identity: 1), try Self.origin(identity: 2),
            try Self.origin(way: .tunnel(socks)), try Self.origin(way: .tunnel(other)),
            try Self.origin(way: .relay(socks)),
        ]
        for (place, one) in all.enumerated() {
            for (otherPlace, other) in all.enumerated() { #expect((one == other) == (place == otherPlace)) }
        }
    }

    @Test("origins with equal members are equal and have one hash, whatever the path and the case of the host")
    func equal() throws {
        let one = try Self.origin("http://A.test/x", identity: 3)
        let other = try Self.origin("http://a.TEST:80/y?z", identity: 3)
        #expect(one == other && one.hashValue == other.hashValue)
        #expect(try one.isDirect(to: TargetURI(parsing: "http://a.test/")))
        #expect(try !one.isDirect(to: TargetURI(parsing: "http://b.test/")))
    }
}
