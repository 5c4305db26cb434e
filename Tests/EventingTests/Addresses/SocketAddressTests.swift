import Glibc
import HTTPCore
import Testing

@testable import Eventing

/// Addresses as text and as the system has them.
@Suite struct SocketAddressTests {
    @Test("a text is an address of IPv4, of IPv6 in brackets, or a path")
    func reading() {
        let here = IPAddress.v4(0x7F00_0001)
        let expected: [(String, SocketAddress?)] = [
            ("127.0.0.1:80", .ip(here, port: 80)), ("127.0.0.1:0", .ip(here, port: 0)),
            ("127.0.0.1:00080", .ip(here, port: 80)), ("127.0.0.1:65535", .ip(here, port: 65_535)),
            ("[::1]:443", .ip(.v6(0, 1), port: 443)), ("unix:/a:1", .unix(path: "/a:1")), ("unix:x", .unix(path: "x")),
            ("127.0.0.1:65536", nil), ("127.0.0.1:+80", nil), ("127.0.0.1: 80", nil), ("127.0.0.1:8/", nil),
            ("127.0.0.1:8:", nil), ("127.0.0.1:-1", nil), ("[::1]", nil), ("[::1:80", nil), ("::1]:80", nil),
            ("[127.0.0.1]:80", nil), (":80", nil), ("[]:80", nil), ("a.example:80", nil), ("unix:", nil), ("80", nil),
        ]
        for (text, address) in expected { #expect(SocketAddress(text) == address, "\(text)") }
    }

    @Test("an address tells its parts, and whether only this machine can have it")
    func parts() {
        let addresses: [SocketAddress] = [
            .ip(.v4(0x7F00_0001), port: 80), .ip(.v6(0, 1), port: 443, scope: 3), .ip(.v4(0x0808_0808), port: 0),
            .unix(path: "/run/x"),
        ]
        #expect(addresses.map(\.port) == [80, 443, 0, nil])
        #expect(addresses.map(\.ipAddress) == [.v4(0x7F00_0001), .v6(0, 1), .v4(0x0808_0808), nil])
        #expect(addresses.map(\.isLocalOnly) == [true, true, false, true])
        #expect(addresses.map(\.description) == ["127.0.0.1:80", "[::1]:443", "8.8.8.8:0", "unix:/run/x"])
        #expect(addresses.map(\.family) == [AF_INET, AF_INET6, AF_INET, AF_UNIX])
    }

    @Test("the system gets an address as it is, with its length, and gives it back")
    func system() {
        let path = String(repeating: "p", count: 107)
        let expected: [(SocketAddress, Int)] = [
            (.ip(.v4(0x0102_0304), port: 0xABCD), 16),
            (.ip(.v6(0x0102_0304_0506_0708, 0x090A_0B0C_0D0E_0F10), port: 0xABCD, scope: 9), 28),
            (.unix(path: "/a"), 5), (.unix(path: path), 110),
        ]
        for (address, size) in expected {
            let count = address.withSockaddr { _, count in Int(count) }
            let again = address.withSockaddr { pointer, _ in SocketAddress(pointer) }
            #expect(count == size && again == .some(.some(address)), "\(address)")
        }
        for path in [path + "p", "a\0b"] {
            #expect(SocketAddress.unix(path: path).withSockaddr { _, count in Int(count) } == nil)
        }
        #expect(SocketAddress(nil) == nil)
    }

    @Test("this machine has its loopback address, and the numbers of IPv6 go both ways")
    func machine() {
        #expect(IPAddress.ofThisMachine().contains(.v4(0x7F00_0001)))
        let six = IPAddress.v6(0x0102_0304_0506_0708, 0x090A_0B0C_0D0E_0F10)
        #expect(IPAddress(six.in6) == six && IPAddress(IPAddress.v4(1).in6) == .v6(0, 0))
    }
}
