import Eventing
import HTTPCore
import Locking
import Observability

/// Counts exported spans, and logs at most once a minute that the collector accepts none.
final class SpanReport: Sendable {
    private struct State {
        var exported = 0
        var failures = 0
        var fault: String?
        var logged: MonotonicTime?
    }

    private let log: Logger
    private let state = Lock(State())

    init(_ log: Logger) { self.log = log }

    var exported: Int { state.withLock { $0.exported } }
    /// Requests to the collector that failed.
    var failures: Int { state.withLock { $0.failures } }
    /// Why the collector accepts no spans; nil: it does.
    var fault: String? { state.withLock { $0.fault } }

    func exported(_ count: Int) {
        let isBack = state.withLock { state in
            state.exported += count
            defer {
                state.fault = nil
                state.logged = nil
            }
            return state.logged != nil
        }
        if isBack { log.info("spans are exported again") }
    }

    func failed(_ reason: String, _ uri: TargetURI?, at now: MonotonicTime) {
        let isLogged = state.withLock { state in
            state.failures += 1
            state.fault = "the collector of `telemetry.otlp` takes no spans: \(reason)"
            if let logged = state.logged, now - logged < .seconds(60) { return false }
            state.logged = now
            return true
        }
        guard isLogged else { return }
        log.warning(
            "spans not exported",
            ["collector": uri?.text ?? "", "reason": reason, "remedy": "start the collector, or change telemetry.otlp"]
        )
    }
}
