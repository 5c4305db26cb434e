import Eventing
import HTTPCore
public import HTTPServer
public import Observability

/// The counters of the proxy; one value for all loops.
public struct ProxyMetrics: Sendable {
    /// Requests answered from the store without asking the origin.
    public let hits: Counter
    /// Requests that waited for a load, or whose stored response was validated.
    public let misses: Counter
    /// Requests sent past the store.
    public let passes: Counter
    /// Requests answered with an error of ours because the origin failed.
    public let failures: Counter
    /// Requests that may not be forwarded.
    public let refusals: Counter
    /// The tunnels that are open, and totals of all.
    public let tunnels = TunnelRegistry()
    /// Connections of clients whose TLS ended here, and those whose handshake failed.
    public let interceptions: Counter
    public let failedInterceptions: Counter
    /// Requests of SOCKS that were understood.
    private let socksRequests: Counter
    /// Connections of SOCKS that were refused before, by `SOCKSFault`.
    private let socksFaults: [Counter]
    /// Bytes of content sent to clients on hits.
    public let cachedBytes: Counter
    /// Bytes of content sent to clients from an origin, or after a validation.
    public let originBytes: Counter
    /// Responses by the first digit of their status, from 1.
    let responses: [Counter]
    /// The time from a request's head to the end of its response, by `RequestOutcome`.
    private let durations: [Histogram]

    /// Registers the counters.
    ///
    /// - Parameter loops: how many loops have a hit counter of their own.
    public init(in registry: MetricsRegistry, loops: Int = 0) {
        func requests(_ result: String, shards: Int = 0) -> Counter {
            registry.counter(
                "respite_requests_total",
                "Requests by what became of them.",
                labels: [MetricLabel("result", result)],
                shards: shards
            )
        }
        hits = requests("hit", shards: loops)
        misses = requests("load")
        passes = requests("pass")
        failures = requests("failure")
        refusals = requests("refused")
        let tunnels = tunnels
        registry.counter("respite_tunnels_total", "Tunnels opened.") { tunnels.totals.opened }
        registry.gauge("respite_tunnels", "Tunnels open now.") { tunnels.totals.open }
        registry.counter("respite_tunnel_up_bytes_total", "Bytes from clients into tunnels.") {
            tunnels.totals.bytesUp
        }
        registry.counter("respite_tunnel_down_bytes_total", "Bytes from tunnels to clients.") {
            tunnels.totals.bytesDown
        }
        func interceptions(_ result: String) -> Counter {
            registry.counter(
                "respite_intercepted_connections_total",
                "Connections of clients whose TLS ended here, by how the handshake ended.",
                labels: [MetricLabel("result", result)]
            )
        }
        self.interceptions = interceptions("accepted")
        failedInterceptions = interceptions("failed")
        func socks(_ result: String) -> Counter {
            registry.counter(
                "respite_socks_connections_total",
                "Connections of clients that speak SOCKS, by whether their request was understood, and why not.",
                labels: [MetricLabel("result", result)]
            )
        }
        socksRequests = socks("request")
        socksFaults = SOCKSFault.allCases.map { socks($0.rawValue) }
        func bytes(_ source: String, shards: Int = 0) -> Counter {
            registry.counter(
                "respite_delivered_bytes_total",
                "Bytes of content given to clients, by where it came from.",
                labels: [MetricLabel("source", source)],
                shards: shards
            )
        }
        cachedBytes = bytes("cache", shards: loops)
        originBytes = bytes("origin")
        responses = (1...5).map { digit in
            registry.counter(
                "respite_responses_total",
                "Responses to clients by the class of their status.",
                labels: [MetricLabel("class", "\(digit)xx")],
                shards: loops
            )
        }
        durations = RequestOutcome.allCases.map { outcome in
            registry.histogram(
                "respite_request_duration_seconds",
                "Time from a request's head to the end of its response, by what became of it.",
                labels: [MetricLabel("outcome", "\(outcome.text)")]
            )
        }
    }

    func countSOCKSRequest() { socksRequests.add() }

    /// Counts a connection of SOCKS that was refused.
    func count(_ fault: SOCKSFault) {
        for (one, counter) in zip(SOCKSFault.allCases, socksFaults) where one == fault { counter.add() }
    }

    /// The durations of requests with this outcome.
    public func durations(_ outcome: RequestOutcome) -> Histogram { durations[Int(outcome.rawValue)] }

    /// Counts an exchange that has ended.
    func count(_ exchange: ServerExchange) {
        if let status = exchange.status { responses[Self.index(ofStatus: status)].add() }
        durations(exchange.outcome).observe(nanoseconds: exchange.loop.now.nanoseconds(since: exchange.receivedAt))
    }

    /// The index in `responses`.
    @inline(__always)
    static func index(ofStatus status: UInt16) -> Int { min(max(Int(status / 100), 1), 5) - 1 }
}
