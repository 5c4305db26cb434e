import Eventing
import HTTPCore
import Platform
import Settings
import TestSupport
import Testing

@testable import Daemon

/// Listening sockets, bound before anything serves.
@Suite struct BoundSocketsTests {
    private static func settings(listen: [ListenAddress], admin: [ListenAddress] = []) -> DaemonSettings {
        var settings = DaemonSettings()
        settings.listen = listen
        settings.admin = admin
        return settings
    }

    @Test("each loop has a socket for each address, all loops the same ports")
    func sockets() throws {
        let settings = Self.settings(
            listen: [.loopback(port: 0), .loopback(port: 0)],
            admin: [.loopback(port: 0)]
        )
        let sockets = try BoundSockets(settings, loops: 3)
        for loop in 0..<3 { #expect(sockets.takeProxy(loop: loop).map(\.address) == sockets.proxyAddresses) }
        #expect(Set(sockets.proxyAddresses).count == 2)
        #expect(sockets.proxyAddresses.allSatisfy { ($0.port ?? 0) != 0 })
        #expect(sockets.admin.count == 1)
    }

    @Test("a port another process has is an error that names the address", arguments: [1, 4])
    func conflict(loops: Int) throws {
        let taken = try ListeningSocket(binding: .ip(.v4(0x7F00_0001), port: 0))
        let port = try #require(taken.address.port)
        let settings = Self.settings(listen: [.loopback(port: port)])
        let error = #expect(throws: EventError.self) { try BoundSockets(settings, loops: loops) }
        #expect(error?.userMessage.contains("127.0.0.1:\(port)") == true)
        let admin = Self.settings(listen: [.loopback(port: 0)], admin: [.loopback(port: port)])
        #expect(throws: EventError.self) { try BoundSockets(admin, loops: loops) }
    }

    @Test("a port other loops of another daemon share is a conflict too")
    func sharedConflict() throws {
        let first = try BoundSockets(Self.settings(listen: [.loopback(port: 0)]), loops: 2)
        let port = try #require(first.proxyAddresses.first?.port)
        for loops in [1, 2] {
            #expect(throws: EventError.self) {
                try BoundSockets(Self.settings(listen: [.loopback(port: port)]), loops: loops)
            }
        }
    }

    @Test("a Unix socket is shared by all loops, and its file goes with the last of them")
    func unixSocket() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("proxy.sock")
        do {
            let settings = Self.settings(listen: [.unix(path: path), .tls(.v4(0x7F00_0001), port: 0)])
            let sockets = try BoundSockets(settings, loops: 3)
            let taken = (0..<3).map { sockets.takeProxy(loop: $0) }
            #expect(taken.map(\.count) == [2, 2, 2])
            #expect(sockets.isSecure == [false, true])
            #expect(sockets.proxyNames[0] == "unix:\(path)" && sockets.proxyNames[1].hasPrefix("https://127.0.0.1:"))
            withExtendedLifetime(taken) { #expect(SmallFile.exists(path)) }
        }
        #expect(!SmallFile.exists(path))
    }

    @Test("a Unix path that a file, a live socket or nobody is at: an error that names it, or it is replaced")
    func unixConflicts() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("proxy.sock")
        let settings = Self.settings(listen: [.unix(path: path)])
        do {
            let live = try BoundSockets(settings, loops: 1)
            let error = #expect(throws: EventError.self) { try BoundSockets(settings, loops: 1) }
            #expect(error?.userMessage.contains(path) == true)
            #expect(live.proxyNames == ["unix:\(path)"])
        }
        _ = try directory.write("x", to: "proxy.sock")
        #expect(throws: EventError.self) { try BoundSockets(settings, loops: 1) }
        #expect(SmallFile.exists(path))
    }
}
