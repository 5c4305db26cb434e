import Eventing
import HTTPCore
import Locking
import Observability
import Proxying
import Settings
import UpstreamClient

/// Exports spans while the settings name a collector; its thread starts with the first such settings.
final class Telemetry: Sendable {
    private struct State {
        var loops: LoopGroup?
        var exporter: LoopBound<SpanExporter>?
    }

    /// How long the daemon waits for the collector at its end.
    private static let flushTime = Duration.seconds(2)

    private let queue = SpanQueue()
    private let report: SpanReport
    private let state = Lock(State())

    init(log: Logger) { report = SpanReport(log) }

    /// Why spans do not arrive; nil if they do, or there is no collector.
    var fault: String? { report.fault }

    /// Registers its metrics.
    func register(in registry: MetricsRegistry) {
        registry.counter("respite_telemetry_spans_total", "Spans that the collector has accepted.") { [report] in
            report.exported
        }
        registry.counter(
            "respite_telemetry_dropped_spans_total",
            "Spans that were dropped: the collector refused them, or took them too slowly."
        ) { [queue] in queue.dropped }
        registry.counter("respite_telemetry_failures_total", "Requests to the collector that failed.") { [report] in
            report.failures
        }
        registry.gauge("respite_telemetry_waiting_spans", "Spans that wait for the collector.") { [queue] in
            queue.count
        }
    }

    /// What responders need to trace requests; nil: they trace none.
    func tracing(_ settings: TelemetrySettings) -> Tracing? {
        settings.otlp == nil ? nil : Tracing(queue: queue, sample: settings.sample)
    }

    /// Sends spans to the collector of these settings from now on.
    func apply(_ plan: ServingPlan, policy: AddressPolicy, resolver: NameResolver) {
        let destination = plan.settings.spanDestination(policy, plan.security)
        let running = state.withLock { $0.loops }
        guard let loops = running ?? (destination == nil ? nil : start()) else { return }
        loops.handles[0]
            .submit { [self] loop in
                exporter(on: loop, policy: policy, resolver).value.apply(destination)
            }
    }

    private func start() -> LoopGroup? {
        do throws(EventError) {
            let loops = try LoopGroup(count: 1, name: "telemetry")
            state.withLock { $0.loops = loops }
            return loops
        } catch {
            report.failed("\(error)", nil, at: .now)
            return nil
        }
    }

    private func exporter(
        on loop: EventLoop,
        policy: AddressPolicy,
        _ resolver: NameResolver
    ) -> LoopBound<SpanExporter> {
        if let known = state.withLock({ $0.exporter }) { return known }
        let connector = Connector(loop: loop, resolver: resolver)
        let exporter = LoopBound(SpanExporter(loop, connector, queue, report, policy: policy), loop: loop)
        state.withLock { $0.exporter = exporter }
        queue.whenAdded { exporter.submit { $0.wake() } }
        return exporter
    }

    /// Exports what waits, as far as the collector accepts it in time, and ends the thread; the loops have ended.
    func stop() {
        queue.whenAdded(nil)
        let (loops, exporter) = state.withLock { state in (state.loops.take(), state.exporter.take()) }
        guard let loops else { return }
        loops.handles[0]
            .submit { loop in
                guard let exporter else { return loop.stop() }
                _ = loop.schedule(after: Self.flushTime) {
                    exporter.value.cancel()
                    loop.stop()
                }
                exporter.value.finish { loop.stop() }
            }
        loops.join()
    }
}

extension DaemonSettings {
    /// Where spans go; nil: nowhere.
    ///
    /// Its address may be any but our own listeners', since the administrator has chosen it.
    fileprivate func spanDestination(_ policy: AddressPolicy, _ security: UpstreamSecurity) -> SpanExporter.Destination?
    {
        guard let otlp = telemetry.otlp, let uri = try? TargetURI(parsing: "\(otlp)/v1/traces") else { return nil }
        return SpanExporter.Destination(
            uri: uri,
            document: TraceDocument(
                secrets: SecretParameters(log.secretParameters),
                version: Version.text
            ),
            policy: AddressPolicy(allowsLoopback: true, allowsPrivate: true, listeners: policy.listeners),
            security: security
        )
    }
}
