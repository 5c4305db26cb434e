import Eventing
import Exchanges
import HTTPCore
import Observability
import UpstreamClient

/// Sends spans to the collector in batches, on a loop of its own.
///
/// If the collector cannot take a batch now, the exporter sends it again, at growing intervals. Meanwhile further spans
/// wait in the queue, which drops spans when it is full. Bound to its loop.
final class SpanExporter {
    /// Where spans go.
    struct Destination: Sendable {
        var uri: TargetURI
        var document: TraceDocument
        var policy: AddressPolicy
        var security: UpstreamSecurity
    }

    private struct Batch {
        var body: [UInt8]
        var count: Int
    }

    /// How long a span waits for others of its batch.
    private static let collectingTime = Duration.seconds(1)
    /// How long the collector may take to respond.
    private static let timeout = Duration.seconds(10)
    private static let longestPause = Duration.seconds(60)

    private let loop: EventLoop
    private let queue: SpanQueue
    private let report: SpanReport
    private let client: UpstreamClient
    /// Nil: traces are off.
    private var destination: Destination?
    /// The batch that the collector has not accepted yet.
    private var batch: Batch?
    private var export: SpanExport?
    private var failures = 0
    private var clock = WallOffset()
    private var timer: LoopTimer?
    /// At the end of the daemon: called when nothing is left to send.
    private var finished: (() -> Void)?

    init(_ loop: EventLoop, _ connector: Connector, _ queue: SpanQueue, _ report: SpanReport, policy: AddressPolicy) {
        self.loop = loop
        self.queue = queue
        self.report = report
        client = UpstreamClient(
            loop: loop,
            connector: connector,
            policy: policy,
            limiter: OriginLimiter(limits: UpstreamLimits())
        )
    }

    func apply(_ destination: Destination?) {
        self.destination = destination
        failures = 0
        if let destination {
            client.apply(UpstreamLimits(), policy: destination.policy, security: destination.security)
        }
        if export == nil { sendNow() }
    }

    /// New spans are in the queue.
    func wake() {
        if export != nil || failures > 0 { return }
        if queue.count >= queue.batch { sendNow() } else { arm(Self.collectingTime) }
    }

    /// Sends what waits, as far as the collector accepts it, then calls `completion`.
    func finish(_ completion: @escaping () -> Void) {
        finished = completion
        if export == nil { sendNow() }
    }

    /// Gives up the batch that is being sent; calls nothing back.
    func cancel() {
        timer?.cancel()
        finished = nil
        export.take()?.cancel()
        dropBatch()
    }

    private func arm(_ delay: Duration) {
        if timer?.isArmed == true { return }
        timer = loop.schedule(after: delay) { [weak self] in self?.sendNow() }
    }

    private func sendNow() {
        timer?.cancel()
        guard let destination else {
            dropBatch()
            queue.noteDropped(queue.takeBatch().count)
            return finished.take()?() ?? ()
        }
        guard let batch = batch ?? nextBatch(destination) else { return finished.take()?() ?? () }
        self.batch = batch
        let bound = LoopBound(self, loop: loop)
        let export = SpanExport(batch.body) { bound.value.didEnd($0) }
        self.export = export
        export.begin(client, to: destination.uri)
        timer = loop.schedule(after: Self.timeout) { [weak self] in
            export.cancel()
            self?.didEnd(.failure("it did not answer in \(Self.timeout.components.seconds) s"))
        }
    }

    private func nextBatch(_ destination: Destination) -> Batch? {
        let spans = queue.takeBatch()
        guard !spans.isEmpty else { return nil }
        return Batch(body: destination.document.bytes(spans, wallOffset: clock.nanoseconds()), count: spans.count)
    }

    private func didEnd(_ outcome: SpanExport.Outcome) {
        timer?.cancel()
        export = nil
        switch outcome {
        case .response(200..<300):
            report.exported(batch?.count ?? 0)
            batch = nil
            failures = 0
        case .response(let status):
            report.failed("it answered with status \(status)", destination?.uri, at: loop.now)
            if Self.mayRepeat(status) { failures += 1 } else { dropBatch() }
        case .failure(let reason):
            report.failed(reason, destination?.uri, at: loop.now)
            failures += 1
        }
        goOn()
    }

    /// Whether the collector may accept the same spans later, by OTLP/HTTP.
    private static func mayRepeat(_ status: UInt16) -> Bool { [429, 502, 503, 504].contains(status) }

    private func goOn() {
        if failures > 0 {
            guard finished == nil else {
                dropBatch()
                return finished.take()?() ?? ()
            }
            arm(min(Self.longestPause, Self.collectingTime * (1 << min(failures, 10))))
        } else if finished != nil || queue.count >= queue.batch {
            sendNow()
        } else if queue.count > 0 {
            arm(Self.collectingTime)
        }
    }

    private func dropBatch() {
        queue.noteDropped(batch.take()?.count ?? 0)
    }
}

/// Nanoseconds from the monotonic clock to the wall clock; the same for all spans until somebody sets the wall clock.
private struct WallOffset {
    private var known: Int64?

    mutating func nanoseconds() -> Int64 {
        let offset = Logger.wallMilliseconds * 1_000_000 - MonotonicTime.now.nanoseconds
        if let known, abs(known - offset) < 50_000_000 { return known }
        known = offset
        return offset
    }
}
