import Eventing
import Glibc
import HTTPCore
import HTTPServer
import Observability
import Platform
import ResourceCore
import TestSupport
import Testing

@testable import Administration

/// How long events are kept while nobody listens, on a loop whose time stands still.
@Suite struct EventGraceTests {
    /// An admin API on the test's own thread, whose clients come by a Unix socket: what is written there has arrived.
    final class Still {
        let manual: ManualLoop
        let responder: AdminResponder
        let service: Service
        private let workers: WorkerPool
        private let listener: HTTPListener
        private let directory = TemporaryDirectory()
        private let path: String
        private var held: [Resource] = []

        init() throws {
            manual = try ManualLoop()
            workers = try WorkerPool(count: 1)
            path = directory.path("socket")
            let environment = CoreEnvironment(timekeeper: StandingClock(), hasher: PlainHasher())
            service = Service(name: "default", table: ResourceTable(environment: environment))
            var options = AdminOptions(token: Array(TestAdmin.token.utf8), addresses: [])
            options.heartbeat = .seconds(1)
            responder = AdminResponder(
                loop: manual.loop,
                context: LoopContext(manual.loop.handle),
                source: AdminSource(service: service, metrics: MetricsRegistry(), workers: workers, version: "1.2.3"),
                options: options
            )
            let limits = ServerLimits()
            listener = HTTPListener(
                loop: manual.loop,
                socket: try ListeningSocket(binding: .unix(path: path)),
                responder: responder,
                connectionCounter: ConnectionCounter(limits: limits),
                limits: limits
            )
        }

        deinit {
            listener.close()
            manual.turn()
            workers.stop()
        }

        /// Runs all that is to do now.
        func turn() { for _ in 0..<8 { manual.turn() } }

        /// Begins a stream of events.
        func listen(behind id: String? = nil) throws -> TestSocket {
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            let client = TestSocket(adopting: descriptor)
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
            let result = withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(result == 0)
            let last = id.map { ["Last-Event-ID: \($0)"] } ?? []
            // Without chunks, so that what comes are the events alone.
            let lines = ["GET /v1/events HTTP/1.0", TestAdmin.bearer] + last + ["", ""]
            try client.send(lines.joined(separator: "\r\n"))
            turn()
            return client
        }

        /// What has come since the last call.
        func received(by client: TestSocket) -> String {
            var all: [UInt8] = []
            while client.hasReceived, case .bytes(let bytes) = client.receiveSome() { all += bytes }
            return String(decoding: all, as: UTF8.self)
        }

        func change(_ name: String) throws {
            let resource = service.resource(for: try TargetURI(parsing: "http://h.example/\(name)"))
            resource.overrideLocalData([1], fields: Fields())
            held.append(resource)
            turn()
        }
    }

    @Test(
        "who comes back within a minute misses no event; after a minute without any listener all are gone",
        arguments: [(59, true), (60, false)]
    )
    func grace(seconds: Int, areKept: Bool) throws {
        // Given a listener that has had the first event
        let still = try Still()
        let first = try still.listen()
        #expect(still.received(by: first).hasSuffix("retry: 1000\n\n"))
        try still.change("a")
        let id = EventTests.Listener.value("id", still.received(by: first))
        #expect(id.hasSuffix("-1"))
        // When all streams end, something changes, and time passes
        still.responder.endEvents()
        still.turn()
        #expect(still.received(by: first).hasSuffix("event: end\ndata: {}\n\n"))
        try still.change("b")
        still.manual.advance(by: .seconds(seconds))
        // Then
        let second = try still.listen(behind: id)
        let missed = still.received(by: second)
        if areKept {
            #expect(missed.contains("id: \(id.dropLast())2\n") && missed.contains("http://h.example/b\""), "\(missed)")
        } else {
            #expect(missed.hasSuffix("retry: 1000\n\nevent: gap\ndata: {}\n\n"), "\(missed)")
        }
        try still.change("c")
        let next = still.received(by: second)
        #expect(next.contains("http://h.example/c\"") && next.contains("id: \(id.dropLast())3\n") == areKept, "\(next)")
        #expect(EventTests.Listener.value("id", next).hasSuffix(areKept ? "-3" : "-1"))
    }
}
