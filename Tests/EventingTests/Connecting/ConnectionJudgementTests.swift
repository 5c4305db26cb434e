import HTTPCore
import Platform
import TestSupport
import Testing

@testable import Eventing

/// Connections that turn out to lead back to this machine only once they are made.
@Suite struct ConnectionJudgementTests {
    /// An address of this machine that is no loopback address, and that a policy may allow.
    private static let own = IPAddress.ofThisMachine()
        .filter { $0.isIPv4 && [.global, .private].contains($0.addressClass) }
        .min { $0.description < $1.description }

    private struct Report: Sendable {
        var reason: ConnectError.Reason?
        var address: SocketAddress?
        /// Whether the connection was closed.
        var isClosed = false
    }

    @Test(
        "a connection to a listener of ours, by an address that was not known, is closed and told (H-135)",
        .enabled(if: own != nil, "this machine has only loopback addresses"),
        arguments: [true, false]
    )
    func ownListener(isProxy: Bool) async throws {
        let address = try #require(Self.own)
        let socket = try ListeningSocket(binding: .ip(.v4(0), port: 0))
        let port = try #require(socket.address.port)
        let everywhere = [SocketAddress.ip(.v4(0), port: port)]
        let policy = AddressPolicy(
            allowsLoopback: true,
            allowsPrivate: true,
            listeners: OwnListeners(
                proxy: isProxy ? everywhere : [],
                administration: isProxy ? [] : everywhere,
                localAddresses: []
            )
        )
        let workers = try WorkerPool(count: 1)
        defer { workers.stop() }
        let resolver = NameResolver(workers: workers, options: .system) { _ in .failure(.notFound) }
        let report: Report = try await onLoop { loop, outcome in
            var report = Report()
            func tell() { if report.reason != nil, report.isClosed { outcome.succeed(report) } }
            _ = Listener(loop: loop, socket: socket) { stream, _ in
                let end = Scripted()
                end.onEnd = { _ in
                    report.isClosed = true
                    tell()
                }
                stream.delegate = end
            }
            let connector = Connector(loop: loop, resolver: resolver)
            let host = Array(address.description.utf8)
            connector.connect(host: host, port: port, policy: policy, timeout: .seconds(60 * Sanitizer.patience)) {
                result in
                guard case .failure(let error) = result else { return outcome.succeed(report) }
                (report.reason, report.address) = (error.reason, error.address)
                tell()
            }
            loop.schedule(after: .seconds(120 * Sanitizer.patience)) { outcome.succeed(report) }
        }
        let reason: ConnectError.Reason = isProxy ? .loop : .forbidden(.administration)
        #expect(report.reason == reason && report.isClosed)
        #expect(report.address == .ip(address, port: port))
    }
}
