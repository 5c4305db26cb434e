import Administration
import Eventing
import Exchanges
import HTTPCore
import HTTPServer
import JSON
import Observability
import Platform
import ResourceCore
import Settings
import TestSupport

/// An admin listener on a loop of its own, before a table of resources and a store.
final class TestAdmin: Sendable {
    static let token = "correct-horse-battery-staple"

    let port: UInt16
    let service: Service
    let store: RecordStore?
    let metrics = MetricsRegistry()
    private let group: LoopGroup
    private let workers: WorkerPool
    private let listener: LoopBound<HTTPListener>
    private let responder: LoopBound<AdminResponder>
    private let options: AdminOptions

    init(
        hasStore: Bool = true,
        _ change: @Sendable (inout AdminSource, inout AdminOptions) -> Void = { _, _ in }
    )
        throws
    {
        let store = hasStore ? RecordStore() : nil
        self.store = store
        group = try LoopGroup(count: 1)
        workers = try WorkerPool(count: 1)
        let table = ResourceTable(
            environment: CoreEnvironment(timekeeper: StandingClock(), hasher: PlainHasher(), store: store)
        )
        let service = Service(name: "default", table: table)
        self.service = service
        let socket = try ListeningSocket(binding: .ip(.v4(0x7F00_0001), port: 0))
        port = socket.address.port ?? 0
        var source = AdminSource(service: service, metrics: metrics, workers: workers, version: "1.2.3")
        var options = AdminOptions(token: Array(Self.token.utf8), addresses: [socket.address])
        change(&source, &options)
        let (finalSource, finalOptions) = (source, options)
        self.options = finalOptions
        let queue = WaitQueue<(LoopBound<HTTPListener>, LoopBound<AdminResponder>)>()
        group.handles[0].submit { loop in
            let responder = AdminResponder(
                loop: loop,
                context: LoopContext(loop.handle),
                source: finalSource,
                options: finalOptions
            )
            var limits = ServerLimits()
            // A test may take long until it reads.
            limits.sendTimeout = .seconds(600)
            let listener = HTTPListener(
                loop: loop,
                socket: socket,
                responder: responder,
                connectionCounter: ConnectionCounter(limits: limits),
                limits: limits
            )
            queue.push((LoopBound(listener, loop: loop), LoopBound(responder, loop: loop)))
        }
        guard let made = queue.pop() else { preconditionFailure("the loop does not answer") }
        (listener, responder) = made
    }

    deinit {
        listener.submit { $0.close() }
        group.stop()
        group.join()
        workers.stop()
    }

    /// Puts other options in force, as the daemon does when a file of a token has changed.
    func apply(_ change: (inout AdminOptions) -> Void) {
        var options = options
        change(&options)
        let (changed, done) = (options, WaitQueue<Bool>())
        responder.submit { responder in
            responder.apply(changed)
            done.push(true)
        }
        _ = done.pop()
    }

    var host: String { "Host: 127.0.0.1:\(port)" }
    static var bearer: String { "Authorization: Bearer \(token)" }

    /// Sends a request with exactly these fields, and reads the answer to the end of the connection.
    func send(_ method: String, _ path: String, _ fields: [String], content: [UInt8] = []) throws -> Answer {
        let client = RawClient(port: port)
        let length = content.isEmpty ? [] : ["Content-Length: \(content.count)"]
        let head = ["\(method) \(path) HTTP/1.1"] + fields + length + ["Connection: close", "", ""]
        client.send(Array(head.joined(separator: "\r\n").utf8) + content)
        let bytes = client.receiveAllBytes().bytes
        guard let answer = Answer(bytes) else { throw NoAnswer(bytes: String(decoding: bytes, as: UTF8.self)) }
        return answer
    }

    struct NoAnswer: Error { var bytes: String }

    func get(_ path: String) throws -> Answer { try send("GET", path, [host, Self.bearer]) }

    func post(_ path: String, _ json: String) throws -> Answer {
        try send("POST", path, [host, Self.bearer, "Content-Type: application/json"], content: Array(json.utf8))
    }

    /// Applies changed options, as a reload does.
    func reload(_ change: (inout AdminOptions) -> Void) {
        var options = options
        change(&options)
        responder.submit { [options] in $0.apply(options) }
    }

    /// Ends all streams, as the daemon does before it stops.
    func endStreams() { responder.submit { $0.endEvents() } }

    /// Waits until a timer of the loop has fired.
    func awaitTimer(after delay: Duration) {
        let queue = WaitQueue<Bool>()
        group.handles[0].submit { loop in
            var timer: LoopTimer?
            timer = loop.schedule(after: delay) {
                timer?.cancel()
                timer = nil
                queue.push(true)
            }
        }
        _ = queue.pop()
    }

    func json(_ path: String) throws -> JSONValue { try JSONReader.parse(try get(path).content) }

    /// Puts a resource into memory.
    @discardableResult
    func hold(_ uri: String, _ content: String = "content", _ fields: [(String, String)] = []) throws -> Resource {
        let resource = service.resource(for: try TargetURI(parsing: uri))
        var section = Fields()
        for (name, value) in fields { section.append(name: name, value: value) }
        resource.overrideLocalData(Array(content.utf8), fields: section)
        return resource
    }
}

/// A loop as a place for callbacks.
final class LoopContext: DeliveryContext {
    private let handle: LoopHandle

    init(_ handle: LoopHandle) { self.handle = handle }

    var isCurrent: Bool { handle.isCurrent }

    func submit(_ work: @escaping @Sendable () -> Void) { handle.submit { _ in work() } }
}
