import Eventing
import HTTPCore
import Testing

@testable import Administration

/// Under which names a listener answers, by the address on which it listens.
@Suite struct HostTests {
    /// The status with which a listener at `address` refuses a request with this head; nil: it does not.
    private static func status(
        _ lines: String...,
        at address: SocketAddress = .ip(.v4(0x7F00_0001), port: 80),
        from peer: SocketAddress = .ip(.v4(0x7F00_0001), port: 1)
    ) throws -> UInt16? {
        var head = RequestHead()
        var parser = RequestParser()
        let bytes = Array((lines + ["", ""]).joined(separator: "\r\n").utf8)
        let result = parser.parse(bytes.span, into: &head)
        try #require(result == .complete(consumed: bytes.count), "\(lines)")
        let check = AccessCheck(options: AdminOptions(token: [1], addresses: [address]))
        return check.refusal(head, peer: peer, needs: .none)?.status
    }

    @Test(
        "a Host without port means port 80 (H-143)",
        arguments: [
            ("127.0.0.1", nil), ("localhost", nil), ("localhost:80", nil), ("127.0.0.1:81", 421),
            ("localhost:443", 421),
        ] as [(String, UInt16?)]
    )
    func usualPort(host: String, status: UInt16?) throws {
        #expect(try Self.status("GET / HTTP/1.1", "Host: \(host)") == status)
        #expect(try Self.status("GET http://\(host)/ HTTP/1.1", "Host: \(host)") == status)
    }

    @Test("an address counts in either form, and only with the listener's port (H-143)")
    func forms() throws {
        let mapped = SocketAddress.ip(.v6(0, 0xFFFF_7F00_0001), port: 3129)
        let plain = SocketAddress.ip(.v4(0x7F00_0001), port: 3129)
        for (host, status) in [
            ("127.0.0.1:3129", nil), ("[::ffff:127.0.0.1]:3129", nil), ("127.0.0.1", 421), ("127.0.0.2:3129", 421),
        ] as [(String, UInt16?)] {
            for address in [mapped, plain] {
                #expect(try Self.status("GET / HTTP/1.1", "Host: \(host)", at: address) == status, "\(host)")
            }
        }
    }

    @Test("who asks without Host, as HTTP/1.0 allows, or by a Unix socket, is no page of a rebound name (H-143)")
    func withoutHost() throws {
        #expect(try Self.status("GET / HTTP/1.0") == nil)
        #expect(try Self.status("GET / HTTP/1.0", "Host: evil.example") == 421)
        let socket = SocketAddress.unix(path: "/run/a")
        #expect(try Self.status("GET / HTTP/1.1", "Host: evil.example", at: socket, from: socket) == nil)
    }
}
