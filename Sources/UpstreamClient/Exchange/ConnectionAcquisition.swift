import Eventing
import Exchanges
import HTTPCore
import TransportSecurity

/// Gets a new connection for one exchange: a slot of the limiter, perhaps after a wait in its queue, then a connect.
///
/// Bound to its loop. It calls its exchange once, with a connection or a failure, unless it is cancelled.
final class ConnectionAcquisition: SlotWaiter {
    private enum Phase {
        case new
        /// In the limiter's queue under this number.
        case queued(UInt64, since: MonotonicTime)
        case connecting(ConnectAttempt)
        case ended
    }

    private let key: PoolKey
    private let security: TLSClientContext?
    private let request: OriginRequest
    private let pool: OriginPool
    private let exchange: OriginExchange
    private var phase = Phase.new
    /// When the connection must be established.
    private let deadline: MonotonicTime
    /// Ends the wait in the queue.
    private var timer: LoopTimer?

    init(_ request: OriginRequest, _ key: PoolKey, _ security: TLSClientContext?, for exchange: OriginExchange) {
        self.request = request
        self.key = key
        self.security = security
        self.exchange = exchange
        pool = exchange.pool
        deadline = pool.loop.now + pool.limits.connectTimeout
    }

    private var loop: EventLoop { pool.loop }
    private var stopwatch: Stopwatch? { request.client?.stopwatch }

    func begin() {
        let bound = LoopBound(self, loop: loop)
        switch pool.limiter.acquire(key, on: loop.handle, granted: { _ in bound.value.slotWasGranted() }) {
        case .granted: connect()
        case .queued(let id):
            phase = .queued(id, since: loop.now)
            pool.addWaiter(self, id: id)
            timer = loop.schedule(after: deadline - loop.now) { [weak self] in self?.queueTookTooLong() }
        case .refused:
            let message = "the queue for connections to \(key.text) is full; see upstream.queue-per-origin"
            exchange.failLater(.connectionLimit(message))
        }
    }

    /// Leaves the queue, or cancels the connect.
    func cancel() {
        switch phase {
        case .new, .ended: break
        case .queued(let id, _):
            pool.removeWaiter(id)
            // If a slot was granted meanwhile, `slotWasGranted` releases it.
            _ = pool.limiter.withdraw(id, from: key)
        case .connecting(let attempt):
            attempt.cancel()
            pool.limiter.release(key)
        }
        end()
    }

    private func end() {
        timer?.cancel()
        timer = nil
        phase = .ended
    }

    // MARK: In the queue

    func slotWasGranted() {
        guard case .queued(let id, _) = phase else { return pool.limiter.release(key) }
        noteWait()
        pool.removeWaiter(id)
        timer?.cancel()
        timer = nil
        connect()
    }

    private func noteWait() {
        guard case .queued(_, let start) = phase, let stopwatch else { return }
        let time = loop.now.nanoseconds(since: start)
        stopwatch.change { $0.queue = time }
    }

    func take(_ connection: OriginConnection) {
        noteWait()
        end()
        exchange.attach(connection)
    }

    private func queueTookTooLong() {
        guard case .queued(let id, _) = phase, pool.limiter.withdraw(id, from: key) else { return }
        noteWait()
        pool.removeWaiter(id)
        end()
        exchange.fail(.connectionLimit("no connection to \(key.text) became free in time"))
    }

    // MARK: Connecting

    private func connect() {
        pool.statistics.connects += 1
        let generation = pool.generation
        let attempt = pool.connector.connect(
            host: key.host,
            port: key.port,
            policy: pool.policy,
            route: key.route,
            security: security,
            via: request.fields,
            asker: asker,
            timeout: max(.zero, deadline - loop.now)
        ) { [self] result in
            switch result {
            case .success(let stream): didConnect(stream, generation)
            case .failure(let error): didFailToConnect(error)
            }
        }
        phase = .connecting(attempt)
    }

    /// The client, and the page that made it ask.
    ///
    /// One page must not use up the look-ups of all.
    private var asker: NameAsker {
        let page = request.fields.value(of: .origin) ?? request.fields.value(of: .referer)
        return NameAsker(client: request.client?.address, page: page.map(NameAsker.page) ?? [])
    }

    private func didConnect(_ stream: Stream, _ generation: Int) {
        guard case .connecting(let attempt) = phase else { return stream.close() }
        note(attempt)
        end()
        exchange.attach(OriginConnection(stream, key: key, generation: generation, pool: pool))
    }

    private func didFailToConnect(_ error: ConnectError) {
        guard case .connecting(let attempt) = phase else { return }
        note(attempt)
        pool.limiter.release(key)
        end()
        exchange.fail(ExchangeFailure(error))
    }

    private func note(_ attempt: ConnectAttempt) {
        stopwatch?.change { taken in
            let queue = taken.queue
            taken = attempt.timings
            taken.queue = queue
        }
    }
}
