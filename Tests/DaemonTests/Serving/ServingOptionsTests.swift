import Eventing
import HTTPCore
import HTTPServer
import Platform
import Settings
import Testing
import UpstreamClient

@testable import Daemon
@testable import Proxying

/// What is made of settings when loops begin, and at each reload.
@Suite struct ServingOptionsTests {
    /// The limits on connections that hold with so many descriptors, and the lines of the log.
    private static func limits(
        clients: Int,
        perOrigin: Int,
        descriptors: Int
    ) throws -> (clients: Int, perOrigin: Int, lines: [String]) {
        var reader = SettingsReader()
        let text = """
            limits.max-connections = \(clients)
            upstream.connections-per-origin = \(perOrigin)
            """
        reader.read(Array(text.utf8), name: "respite.toml")
        let plan = try ServingPlan(try reader.finish(), ProcessContext(environment: [:], isRoot: false))
        var settings = DaemonSettings()
        (settings.listen, settings.admin) = ([.loopback(port: 0)], [])
        let log = KeptLog(.warning)
        let sockets = try BoundSockets(settings, loops: 1)
        let maker = ServingOptionsMaker(sockets: sockets, descriptors: descriptors, log: log.logger)
        let options = maker.options(for: plan)
        return (options.server.maxConnections, options.upstream.connectionsPerOrigin, log.take())
    }

    @Test("more connections than there are descriptors for are not allowed, and the log names the setting (H-132)")
    func lowered() throws {
        let limits = try Self.limits(clients: 897, perOrigin: 65, descriptors: 1024)
        #expect(limits.clients == 896 && limits.perOrigin == 64)
        let start = "warning fewer connections than configured: not enough descriptors"
        #expect(
            limits.lines == [
                "\(start) max-connections=896 descriptors=1024", "\(start) connections-per-origin=64 descriptors=1024",
            ]
        )
    }

    @Test(
        "as many connections as there are descriptors for are allowed, and fewer, without a word (H-132)",
        arguments: [(896, 64), (10, 2)]
    )
    func kept(clients: Int, perOrigin: Int) throws {
        let limits = try Self.limits(clients: clients, perOrigin: perOrigin, descriptors: 1024)
        #expect(limits.clients == clients && limits.perOrigin == perOrigin)
        #expect(limits.lines.isEmpty)
    }

    @Test("a client that refuses our certificates is logged with its host, for how long, and what to do")
    func refusals() throws {
        var settings = DaemonSettings()
        (settings.listen, settings.admin) = ([.loopback(port: 0)], [])
        let (sockets, log) = (try BoundSockets(settings, loops: 1), KeptLog())
        let refusals = ServingOptionsMaker(sockets: sockets, descriptors: 1024, log: log.logger).refusals
        let now = MonotonicTime(nanoseconds: 1)
        for client in [SocketAddress.ip(.v4(0x0A00_0001), port: 7), .unix(path: "")] {
            for _ in 0..<2 {
                refusals.noteRefusal(of: "a.example:443", by: client, at: now, time: .seconds(90))
            }
        }
        let start = "warning host not intercepted for a while: a client refuses our certificate host=a.example:443"
        let remedy = "remedy=\"make the client trust the CA, or add the host to intercept.pass-through\""
        #expect(
            log.take() == [
                "\(start) client=10.0.0.1 seconds=90 \(remedy)", "\(start) client=unix seconds=90 \(remedy)",
            ]
        )
    }

    @Test("a listed address may connect, and to a listener that requires a login every one; a Unix socket is for all")
    func admission() throws {
        var settings = DaemonSettings()
        (settings.listen, settings.admin) = ([.loopback(port: 0)], [])
        settings.access.clients = ["10.0.0.0/8"].compactMap(AddressRange.init)
        let maker = ServingOptionsMaker(sockets: try BoundSockets(settings, loops: 1), descriptors: 1024, log: .silent)
        var reader = SettingsReader()
        reader.read(Array("access.clients = [\"10.0.0.0/8\"]\n".utf8), name: "respite.toml")
        let plan = try ServingPlan(try reader.finish(), ProcessContext(environment: [:], isRoot: false))
        let options = maker.options(for: plan)
        let open = try #require(options.listeners.first)
        settings.access.loginFile = "logins"
        let login = try #require(settings.proxyOptions(open, of: settings.listen).first)
        let (listed, other) = (SocketAddress.ip(.v4(0x0A00_0001), port: 1), SocketAddress.ip(.v4(0x0B00_0001), port: 1))
        #expect(open.login == nil && options.admits(listed, to: open) && !options.admits(other, to: open))
        #expect(login.login != nil && options.admits(listed, to: login) && options.admits(other, to: login))
        #expect(options.admits(.unix(path: "/run/a"), to: open))
    }
}
