import Exchanges
import HTTPCaching
import HTTPCore
import HTTPServer
import Observability
import Outcomes

/// What access log and recent requests tell of a request beyond its message, bound to its loop.
///
/// The ring of recent requests keeps it once the request has ended.
class RequestNotes {
    final var reason: String?
    final var rule: String?
    final var service: String?
    final var outcome: CacheOutcome?
    /// Empty: the target was no URI; once the request has ended, as it came.
    final var target: [UInt8] = []
    final var form: RouteKind.Form?
    /// Nil: the request was not one for the origin, or has ended.
    private final var startedWatch: Stopwatch?

    // Of a request that has ended.
    private final var method = Method.get
    private final var user: String?
    private final var requestBytes: Int64 = 0
    private final var headDuration: Int64?
    private final var upstream = UpstreamTimings()
    private final var isComplete = false

    init() {}

    /// Notes about a hit that was answered without an exchange.
    ///
    /// - Parameter requestBytes: the content of the request.
    init(
        hit target: [UInt8],
        service: String?,
        user: String?,
        method: Method = .get,
        requestBytes: Int = 0
    ) {
        self.target = target
        self.method = method
        self.requestBytes = Int64(requestBytes)
        self.service = service
        self.user = user
        outcome = .hit
        isComplete = true
    }

    /// Measures the times of the request to the origin.
    final var stopwatch: Stopwatch {
        if let startedWatch { return startedWatch }
        let started = Stopwatch()
        startedWatch = started
        return started
    }

    /// What the access log shows.
    final var logged: AccessLogNotes {
        let reason = reason ?? outcome?.detail ?? outcome?.forward?.rawValue
        return AccessLogNotes(reason: reason, rule: rule, service: service)
    }

    /// Notes how the exchange ended.
    final func end(_ exchange: ServerExchange, isComplete: Bool) {
        method = exchange.head.method
        target = target(of: exchange)
        if target.count > RequestRecord.targetLimit { target.removeSubrange((RequestRecord.targetLimit + 1)...) }
        user = exchange.login?.user
        requestBytes = exchange.receivedBytes
        headDuration = exchange.startTime.map { $0.nanoseconds &- exchange.receivedAt.nanoseconds }
        // A load that goes on does not change what is recorded.
        if let watch = startedWatch.take() { upstream = watch.timings }
        self.isComplete = isComplete
    }

    /// What is recorded of a request that has ended.
    final var details: RequestDetails {
        RequestDetails(
            method: method,
            target: target,
            outcome: outcome,
            notes: AccessLogNotes(reason: reason, rule: rule, service: service, user: user),
            requestBytes: requestBytes,
            headDuration: headDuration,
            upstream: upstream,
            isComplete: isComplete
        )
    }

    /// The target for records: the URI, or what came.
    final func target(of exchange: ServerExchange) -> [UInt8] {
        target.isEmpty ? Self.receivedTarget(of: exchange) : target
    }

    /// The target as it came, without user information, behind the origin of its connection inside a CONNECT.
    private static func receivedTarget(of exchange: ServerExchange) -> [UInt8] {
        let head = exchange.head
        let target = SecretParameters.withoutUserInformation(ofUnparsed: Array(head.fields.bytes[head.targetRange]))
        guard head.form == .origin, let origin = exchange.origin else { return target }
        return (origin.named(in: head) ?? origin).prefix + target
    }
}
