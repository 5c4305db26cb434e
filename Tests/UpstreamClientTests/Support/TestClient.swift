import Eventing
import Exchanges
import HTTPCore
import Locking
import Platform
import TransportSecurity
import TestSupport
@testable import UpstreamClient

/// Upstream clients on loops of their own.
final class TestClient: Sendable {
    let group: LoopGroup
    /// What TLS is spoken under at first.
    let security: UpstreamSecurity
    let limiter: OriginLimiter
    /// What the limiter has reported.
    let bans = BanRecord()
    private let workers: WorkerPool
    private let clients: [UpstreamClient]

    /// - Parameter security: what it speaks TLS under.
    init(
        loops: Int = 1,
        security: TLSClientSettings? = nil,
        _ change: @Sendable (inout UpstreamLimits) -> Void = { _ in }
    ) throws {
        var limits = UpstreamLimits()
        change(&limits)
        let final = limits
        let tls = UpstreamSecurity(usual: try security.map { try TLSClientContext($0) })
        self.security = tls
        group = try LoopGroup(count: loops)
        let limiter = OriginLimiter(limits: limits) { [bans] in bans.note($0) }
        self.limiter = limiter
        workers = try WorkerPool(count: 1)
        let resolver = NameResolver(workers: workers)
        clients = group.handles.map { handle in
            Self.onLoop(handle) { loop in
                UpstreamClient(
                    loop: loop,
                    connector: Connector(loop: loop, resolver: resolver),
                    policy: AddressPolicy(allowsLoopback: true, allowsPrivate: true),
                    limiter: limiter,
                    limits: final,
                    security: tls
                )
            }
        }
    }

    deinit {
        workers.stop()
        group.stop()
        // The last receiver may be let go of by a loop.
        if !group.handles.contains(where: \.isCurrent) { group.join() }
    }

    static func onLoop<R: Sendable>(_ handle: LoopHandle, _ work: @escaping @Sendable (EventLoop) -> R) -> R {
        let queue = WaitQueue<R>()
        _ = handle.submit { (loop: EventLoop) in queue.push(work(loop)) }
        guard let result = queue.pop() else { preconditionFailure("the loop does not answer") }
        return result
    }

    /// Starts an exchange on the loop of this number.
    ///
    /// - Parameters:
    ///   - onHead: called on the loop when the final head is being handled.
    ///   - next: started on the loop in the call that tells the end.
    func start(
        _ request: OriginRequest,
        on loop: Int = 0,
        autoGrant: Bool = true,
        acceptsWholeResponses: Bool = false,
        onHead: (@Sendable () -> Void)? = nil,
        next: OriginRequest? = nil
    ) -> TestReceiver {
        let receiver = TestReceiver(client: self, autoGrant: autoGrant, acceptsWholeResponses: acceptsWholeResponses)
        let client = clients[loop]
        receiver.onHead = onHead
        if let next {
            let second = TestReceiver(client: self, autoGrant: autoGrant)
            receiver.next = second
            receiver.onEnd = { second.exchange = client.start(next, receiver: second) }
        }
        Self.onLoop(group.handles[loop]) { _ in
            receiver.exchange = client.start(request, receiver: receiver)
        }
        return receiver
    }

    /// What a reload does: the limits and the policy of all loops are replaced.
    func apply(
        _ limits: UpstreamLimits = UpstreamLimits(),
        security: UpstreamSecurity? = nil,
        parents: ParentSelection? = nil,
        renewsConnections: Bool = true
    ) {
        let policy = AddressPolicy(allowsLoopback: true, allowsPrivate: true)
        for (client, handle) in zip(clients, group.handles) {
            Self.onLoop(handle) { _ in
                client.apply(
                    limits,
                    policy: policy,
                    security: security,
                    parents: parents,
                    renewsConnections: renewsConnections
                )
            }
        }
    }

    /// Starts an exchange and has addresses change in the same turn of the first loop.
    func startThenApply(_ request: OriginRequest) -> TestReceiver {
        let receiver = TestReceiver(client: self, autoGrant: true)
        let client = clients[0]
        let policy = AddressPolicy(allowsLoopback: true, allowsPrivate: true)
        Self.onLoop(group.handles[0]) { _ in
            receiver.exchange = client.start(request, receiver: receiver)
            client.apply(UpstreamLimits(), policy: policy, renewsConnections: true)
        }
        return receiver
    }

    /// What the end of the daemon does, on the first loop.
    func drain() {
        let client = clients[0]
        Self.onLoop(group.handles[0]) { _ in client.drain() }
    }

    func statistics(_ loop: Int = 0) -> UpstreamStatistics {
        let client = clients[loop]
        return Self.onLoop(group.handles[loop]) { _ in client.statistics }
    }

    /// How many origins the first loop's pool keeps something of.
    func origins() -> Int {
        let client = clients[0]
        return Self.onLoop(group.handles[0]) { _ in client.origins }
    }
}

/// What a limiter has reported.
final class BanRecord: Sendable {
    private let bans = Lock<[ReuseBan]>([])

    func note(_ ban: ReuseBan) { bans.withLock { $0.append(ban) } }
    var origins: [String] { bans.withLock { $0.map(\.origin) } }
}

extension OriginRequest {
    /// A request to a server on this machine.
    static func to(
        _ origin: TestOrigin,
        _ method: Method = .get,
        path: String = "/",
        framing: Framing = .none,
        expects: Bool = false,
        credit: Int = 256 * 1024,
        scheme: TargetURI.Scheme = .http,
        host: String = "127.0.0.1",
        client: RequestingClient? = nil
    ) -> OriginRequest {
        let uri = TargetURI(
            scheme: scheme,
            host: Array(host.utf8),
            port: origin.port,
            path: Array(path.utf8)
        )
        return OriginRequest(
            method: method,
            uri: uri,
            fields: Fields(),
            framing: framing,
            expectsContinue: expects,
            initialCredit: credit,
            client: client
        )
    }
}

/// Keeps what an exchange brings, to be waited for.
final class TestReceiver: ExchangeReceiver {
    enum Event: Equatable {
        case interim(UInt16)
        case head(UInt16)
        case content(String)
        case end(trailers: Int)
        case whole(UInt16, String)
        case failed(ExchangeFailure)
        case switched(UInt16)
        case wants
    }

    private struct State {
        var exchange: (any Exchange)?
        var content: [UInt8] = []
        var whole: ByteChunk?
        var wanted: [Int] = []
        var onHead: (@Sendable () -> Void)?
        var onEnd: (@Sendable () -> Void)?
        var next: TestReceiver?
    }

    private let state = Lock(State())
    private let events = WaitQueue<Event>()
    /// The loops must run as long as events are awaited.
    private let client: TestClient
    private let autoGrant: Bool
    let acceptsWholeResponses: Bool

    init(client: TestClient, autoGrant: Bool, acceptsWholeResponses: Bool = false) {
        self.client = client
        self.autoGrant = autoGrant
        self.acceptsWholeResponses = acceptsWholeResponses
    }

    var exchange: (any Exchange)? {
        get { state.withLock { $0.exchange } }
        set { state.withLock { $0.exchange = newValue } }
    }

    /// Called with the final head, and with the end.
    var onHead: (@Sendable () -> Void)? {
        get { state.withLock { $0.onHead } }
        set { state.withLock { $0.onHead = newValue } }
    }
    var onEnd: (@Sendable () -> Void)? {
        get { state.withLock { $0.onEnd } }
        set { state.withLock { $0.onEnd = newValue } }
    }
    /// Of the exchange that `onEnd` starts.
    var next: TestReceiver? {
        get { state.withLock { $0.next } }
        set { state.withLock { $0.next = newValue } }
    }

    var content: String { state.withLock { String(decoding: $0.content, as: UTF8.self) } }
    var bytes: [UInt8] { state.withLock { $0.content } }
    /// Content that came in one piece.
    var whole: ByteChunk? { state.withLock { $0.whole } }
    var contentCount: Int { state.withLock { $0.content.count } }
    /// How much request content was asked for, each time.
    var wanted: [Int] { state.withLock { $0.wanted } }

    /// The next event; content counts only where `withContent` says so.
    func next(withContent: Bool = false) -> Event? {
        while let event = events.pop() {
            if case .content = event, !withContent { continue }
            return event
        }
        return nil
    }

    /// Waits for the end: the status and the content, or the failure.
    func result() -> Result<String, ExchangeFailure> {
        while let event = next() {
            switch event {
            case .end: return .success(content)
            case .failed(let failure): return .failure(failure)
            case .interim, .head, .content, .whole, .switched, .wants: continue
            }
        }
        return .failure(ExchangeFailure(.cancelled, "no event came in time"))
    }

    var failure: ExchangeFailure.Kind? {
        if case .failure(let failure) = result() { return failure.kind }
        return nil
    }

    func exchangeDidReceiveInterim(_ head: ResponseHead) { events.push(.interim(head.status)) }
    func exchangeDidReceive(_ head: ResponseHead) {
        events.push(.head(head.status))
        onHead?()
    }

    func exchangeDidReceive(_ chunk: ByteChunk) {
        state.withLock { $0.content += chunk.bytes }
        events.push(.content(String(decoding: chunk.bytes, as: UTF8.self)))
        if autoGrant { exchange?.grant(chunk.count) }
    }

    func exchangeDidReceive(_ whole: WholeResponse) {
        state.withLock { $0.whole = whole.content }
        events.push(.whole(whole.head.status, String(decoding: whole.content.bytes, as: UTF8.self)))
    }

    func exchangeDidEnd(trailers: Fields?) {
        onEnd?()
        events.push(.end(trailers: trailers?.lines.count ?? 0))
    }
    func exchangeDidFail(_ failure: ExchangeFailure) { events.push(.failed(failure)) }
    func exchangeDidSwitch(_ head: ResponseHead, to connection: any SwitchedConnection) {
        connection.close()
        events.push(.switched(head.status))
    }
    func exchangeWantsContent(_ bytes: Int) {
        state.withLock { $0.wanted.append(bytes) }
        events.push(.wants)
    }
}
