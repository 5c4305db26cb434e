import Configurations
import Eventing
import Exchanges
import HTTPCore
import HTTPServer
import Locking
import Logins
import Observability
import Platform
import Proxying
import ResourceCore
import Stores
import TestSupport
import Transforms
import UpstreamClient

/// A proxy on a loop of its own: listener, responder, resources in memory, connections to origins.
final class TestProxy: Sendable {
    /// What a test may change before the proxy serves.
    struct Setup: Sendable {
        var options = ProxyOptions(
            via: Via(instance: Array("test".utf8)),
            addressPolicy: AddressPolicy(allowsLoopback: true, allowsPrivate: true)
        )
        var server = ServerLimits()
        var service = Configuration()
        var upstream = UpstreamLimits()
        var store: (any VariantStore)?
        /// How many jobs may wait for the thread that transforms content.
        var transformQueueLimit = 10_000
        /// How many recent requests are kept.
        var recentRequests = 0
        /// A number from 0 to 1 with each call.
        var chance: @Sendable () -> Double = { .random(in: 0..<1) }
        /// Stands in for the connections to origins.
        var provider: (@Sendable (EventLoop) -> any ExchangeProvider)?
    }

    let port: UInt16
    let service: Service
    let metrics = ProxyMetrics(in: MetricsRegistry())
    let recent = RecentRequests()
    private let responder: LoopBound<ProxyResponder>
    private let ring: LoopBound<RequestRing>
    private let group: LoopGroup
    private let workers: WorkerPool
    private let transformers: WorkerPool
    private let listener: LoopBound<HTTPListener>

    init(_ change: (inout Setup) -> Void = { _ in }) throws {
        var setup = Setup()
        change(&setup)
        let final = setup
        group = try LoopGroup(count: 1)
        workers = try WorkerPool(count: 1)
        transformers = try WorkerPool(count: 1, queueLimit: final.transformQueueLimit)
        let resolver = NameResolver(workers: workers)
        let socket = try ListeningSocket(binding: .ip(.v4(0x7F00_0001), port: 0))
        port = socket.address.port ?? 0
        let hasher = PlainHasher()
        let logins = LoginQueue { [transformers] in transformers.submit($0) }
        let table = ResourceTable(
            environment: CoreEnvironment(
                timekeeper: LoopTimekeeper(loop: group.handles[0]),
                hasher: hasher,
                store: final.store,
                transformWorkers: TestWorkers(pool: transformers)
            )
        )
        let service = Service(name: "test", configuration: final.service, table: table)
        self.service = service
        (listener, responder, ring) = Self.onLoop(group.handles[0]) { [metrics, recent] loop in
            let ring = recent.makeRing(on: loop, capacity: final.recentRequests)
            let connector = Connector(loop: loop, resolver: resolver)
            let client: any ExchangeProvider =
                final.provider?(loop)
                ?? UpstreamClient(
                    loop: loop,
                    connector: connector,
                    policy: final.options.addressPolicy,
                    limiter: OriginLimiter(limits: final.upstream),
                    limits: final.upstream
                )
            let responder = ProxyResponder(
                loop: loop,
                provider: client,
                service: service,
                hasher: hasher,
                connector: connector,
                options: final.options,
                metrics: metrics,
                logins: logins,
                ring: ring,
                chance: final.chance
            )
            let listener = HTTPListener(
                loop: loop,
                socket: socket,
                responder: responder,
                connectionCounter: ConnectionCounter(limits: final.server),
                limits: final.server
            )
            return (
                LoopBound(listener, loop: loop), LoopBound(responder, loop: loop), LoopBound(ring, loop: loop)
            )
        }
    }

    deinit {
        listener.submit { $0.close() }
        group.stop()
        group.join()
        workers.stop()
        transformers.stop()
    }

    /// Runs `work` on the loop and waits for it.
    private static func onLoop<R: Sendable>(
        _ handle: LoopHandle,
        _ work: @escaping @Sendable (EventLoop) -> R
    ) -> R {
        let queue = WaitQueue<R>()
        handle.submit { (loop: EventLoop) in queue.push(work(loop)) }
        guard let result = queue.pop() else { preconditionFailure("the loop does not answer") }
        return result
    }

    /// Stops the listener; returns whether no connection is left within a minute.
    func drain() -> Bool {
        let queue = WaitQueue<Bool>()
        listener.submit { $0.drain { queue.push(true) } }
        return queue.pop() ?? false
    }

    /// The recent requests behind one.
    func recentRequests(after id: RequestID = .none) -> RecentRecords? {
        let queue = WaitQueue<RecentRecords>()
        recent.gather(after: id) { queue.push($0()) }
        return queue.pop()
    }

    /// Changes how many recent requests are kept, as a reload does.
    func keepRecentRequests(_ capacity: Int) {
        let queue = WaitQueue<Bool>()
        ring.submit { [responder] ring in
            ring.capacity = capacity
            responder.value.options = responder.value.options
            queue.push(true)
        }
        _ = queue.pop()
    }

    /// Changes the options, as a reload does.
    func change(_ change: @escaping @Sendable (inout ProxyOptions) -> Void) {
        let queue = WaitQueue<Bool>()
        responder.submit { responder in
            change(&responder.options)
            queue.push(true)
        }
        _ = queue.pop()
    }

    func client(receiveBuffer: Int32? = nil) -> RawClient { RawClient(port: port, receiveBuffer: receiveBuffer) }
    func reader() -> ReplyReader { ReplyReader(client()) }

    /// Asks on a connection of its own.
    func perform(_ method: String, _ target: String, _ fields: String..., content: String = "") -> Reply? {
        reader().ask(request(method, target, fields, content: content))
    }

    /// Asks by GET, on a connection of its own.
    func ask(_ target: String, _ fields: String...) -> Reply? { reader().ask(request("GET", target, fields)) }

    /// A request to this proxy; fields are whole lines without their end.
    func request(
        _ method: String,
        _ target: String,
        _ fields: [String] = [],
        content: String = ""
    ) -> String {
        let host = fields.contains { $0.hasPrefix("Host:") } ? [] : ["Host: 127.0.0.1:\(port)"]
        let length = content.isEmpty ? [] : ["Content-Length: \(content.utf8.count)"]
        let lines = (["\(method) \(target) HTTP/1.1"] + host + fields + length).joined(separator: "\r\n")
        return "\(lines)\r\n\r\n\(content)"
    }
}

/// The thread pipelines run on, and on which passwords are hashed.
private final class TestWorkers: TransformWorkers {
    private let pool: WorkerPool

    init(pool: WorkerPool) { self.pool = pool }
    func submit(_ work: @escaping @Sendable () -> Void) -> Bool { pool.submit(work) }
    func resume(_ work: @escaping @Sendable () -> Void) -> Bool { pool.resume(work) }
}

/// Good enough to tell credentials apart, and a test of nothing else.
final class PlainHasher: PartitionHasher {
    func hash(_ credentials: [UInt8]) -> [UInt8] { Array("hash of ".utf8) + credentials }
}

/// Reads the base of a reverse proxy.
enum GatewayBaseText {
    static func base(_ text: String) throws -> GatewayBase { GatewayBase(try TargetURI(parsing: text)) }
}
