import HTTPServer
import Locking
import Observability
import Platform
import Settings
import Testing
import UpstreamClient

@testable import Daemon

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
        let lines = Lock<[String]>([])
        let log = Logger(
            level: .warning,
            format: .text,
            output: { bytes in lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) } },
            clock: { 0 }
        )
        let sockets = try BoundSockets(settings, loops: 1)
        let maker = ServingOptionsMaker(sockets: sockets, descriptors: descriptors, log: log)
        let options = maker.options(for: plan)
        return (options.server.maxConnections, options.upstream.connectionsPerOrigin, lines.withLock { $0 })
    }

    @Test("more connections than there are descriptors for are not allowed, and the log names the setting (H-132)")
    func lowered() throws {
        let limits = try Self.limits(clients: 897, perOrigin: 65, descriptors: 1024)
        #expect(limits.clients == 896 && limits.perOrigin == 64)
        #expect(limits.lines.count == 2)
        #expect(limits.lines.first?.contains("max-connections=896") == true)
        #expect(limits.lines.last?.contains("connections-per-origin=64") == true)
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
}
