import Eventing
import HTTPCore
import HTTPServer
import Observability

/// Sends requests to listeners as they are answered.
///
/// Nothing is collected for it: while there are listeners, it asks all loops again and again for the requests since the
/// last time. The rings are the listeners' queue, so one that never reads costs nothing more. Bound to its loop.
final class RequestHub {
    /// Why there is nothing to show.
    static let offSentence =
        "no requests are kept: `admin-recent-requests` is 0; set how many, such as 2000, and reload the settings"

    private let loop: EventLoop
    private let source: RequestSource
    /// How often the loops are asked.
    private let interval: Duration
    private let heartbeat: Duration
    /// Parameters whose values are masked.
    private var secrets: SecretParameters
    /// Counts the changes of `secrets`: what was masked before the last one is not sent.
    private var maskings = 0
    private var streams: [Int: RequestStream] = [:]
    /// The number of the next stream.
    private var nextNumber = 0
    private var timer: LoopTimer?
    private var isGathering = false

    init(loop: EventLoop, source: RequestSource, options: AdminOptions) {
        self.loop = loop
        self.source = source
        interval = options.progressInterval
        heartbeat = options.heartbeat
        secrets = options.secrets
    }

    /// Masks by other parameters from now on; ends all streams if requests are not kept any more.
    func apply(_ options: AdminOptions) {
        secrets = options.secrets
        maskings += 1
        if options.recentRequests == 0 { endStreams(because: Self.offSentence) }
    }

    /// Sends requests until the client disconnects.
    ///
    /// - Parameter hasEnded: whether the session that the stream belongs to has ended; nil: it belongs to none.
    func subscribe(
        _ exchange: ServerExchange,
        _ start: RequestStream.Start,
        _ filter: RequestFilter,
        hasEnded: (() -> Bool)?
    ) {
        guard exchange.head.method == .get else {
            exchange.start(200, fields: RequestStream.fields, content: .unknown)
            return exchange.finish()
        }
        let stream = RequestStream(exchange, self, nextNumber, start, filter, hasEnded: hasEnded)
        streams[nextNumber] = stream
        nextNumber += 1
        stream.begin()
        gather()
    }

    /// Sends a last event to all listeners and ends their streams.
    ///
    /// - Parameter reason: a sentence; nil: the daemon stops.
    func endStreams(because reason: String? = nil) {
        let ending = streams.values
        streams = [:]
        timer?.cancel()
        timer = nil
        for stream in ending { stream.end(because: reason) }
    }

    /// Ends the streams whose session has ended (H-163).
    func endStreamsOfEndedSessions() {
        for (number, stream) in streams where stream.hasEnded?() == true {
            streams[number] = nil
            stream.end(because: "the session has ended")
        }
    }

    func forget(_ number: Int) { streams[number] = nil }

    /// Has the requests copied and, on a worker, masked and selected for each stream.
    private func gather() {
        guard !isGathering else { return }
        endStreamsOfEndedSessions()
        let wishes = streams.filter { $0.value.hasRoom }.mapValues(\.wish)
        guard let first = wishes.values.map(\.position).min() else { return schedule() }
        isGathering = true
        let bound = LoopBound(WeakHub(self), loop: loop)
        source.gather(first) { [secrets, maskings] recent in
            let batch = recent.map { RequestBatch($0, for: wishes, masking: secrets) }
            bound.submit { $0.hub?.deliver(batch, maskings) }
        }
    }

    private func deliver(_ batch: RequestBatch?, _ maskings: Int) {
        isGathering = false
        endStreamsOfEndedSessions()
        guard maskings == self.maskings else { return gather() }
        for (number, stream) in streams {
            if let batch, let selection = batch.selections[number] { stream.send(selection, of: batch) }
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
