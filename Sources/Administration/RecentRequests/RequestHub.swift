import Eventing
import HTTPCore
import HTTPServer
import Observability

/// Sends requests to listeners as they are answered.
///
/// Nothing is collected for it: while there are listeners, it asks all loops again and again for the requests since the
/// last time. The rings are the listeners' queue, so one that never reads costs nothing more. Bound to its loop.
final class RequestHub {
    private let loop: EventLoop
    private let source: RequestSource
    /// How often the loops are asked.
    private let interval: Duration
    private let heartbeat: Duration
    private var streams: [ObjectIdentifier: RequestStream] = [:]
    private var timer: LoopTimer?
    private var isGathering = false

    init(loop: EventLoop, source: RequestSource, options: AdminOptions) {
        self.loop = loop
        self.source = source
        interval = options.progressInterval
        heartbeat = options.heartbeat
    }

    /// Sends requests until the client disconnects.
    ///
    /// - Parameter secrets: parameters whose values are masked.
    func subscribe(
        _ exchange: ServerExchange,
        _ start: RequestStream.Start,
        _ filter: RequestFilter,
        _ secrets: SecretParameters
    ) {
        guard exchange.head.method == .get else {
            exchange.start(200, fields: RequestStream.fields, content: .unknown)
            return exchange.finish()
        }
        let stream = RequestStream(exchange, hub: self, start: start, filter: filter, secrets: secrets)
        streams[ObjectIdentifier(stream)] = stream
        stream.begin()
        gather()
    }

    /// Sends a last event to all listeners and ends their streams.
    func endStreams() {
        let ending = streams.values
        streams = [:]
        timer?.cancel()
        timer = nil
        for stream in ending { stream.end() }
    }

    func forget(_ stream: RequestStream) { streams[ObjectIdentifier(stream)] = nil }

    private func gather() {
        guard !isGathering else { return }
        let positions = streams.values.filter(\.hasRoom).map(\.position)
        guard let first = positions.min() else { return schedule() }
        isGathering = true
        let bound = LoopBound(WeakHub(self), loop: loop)
        source.gather(first) { recent in bound.submit { $0.hub?.deliver(recent, after: first) } }
    }

    private func deliver(_ recent: RecentRecords, after first: RequestID) {
        isGathering = false
        let batch = RequestBatch(recent, after: first)
        for stream in streams.values {
            stream.send(batch)
            stream.beat(at: loop.now, every: heartbeat)
        }
        schedule()
    }

    private func schedule() {
        guard !streams.isEmpty else { return timer = nil }
        if let timer {
            timer.rearm(after: interval)
        } else {
            timer = loop.schedule(after: interval) { [weak self] in self?.gather() }
        }
    }
}

private final class WeakHub {
    weak var hub: RequestHub?

    init(_ hub: RequestHub) { self.hub = hub }
}
