public import Exchanges
import HTTPCaching
public import HTTPCore
public import Transforms

/// Why a load brought no response that can be relayed; `Resource.latestError` is one.
public struct ResourceError: Error, Sendable, Equatable {
    /// The status that tells a client.
    public var status: UInt16
    /// The error type of RFC 9209; nil if the origin answered completely, with `status`.
    public var kind: ExchangeFailure.Kind?
    /// A sentence for a person.
    public var userMessage: String
    /// Not this request's own failure but one within the retry time (S-041): an answer of our own.
    public var isRemembered: Bool
    /// The transformer that failed, if one did: Cache-Status says `transform-failed`.
    public var transformation: TransformationFailure?
    /// When another attempt may go better, if that is known.
    public var retryAfter: Duration?
    /// The origin is down: nothing was sent.
    public var outage: OriginOutage?
    /// The status a proxy on the way refused with, or the origin answered another request with.
    public var receivedStatus: UInt16?
    /// It is the failure of another request, whose answer nobody shares.
    public var isOfAnother = false
    /// The alert by which the origin ended TLS.
    public var alert: ProxyStatus.Alert?
    /// When it happened; the retry time counts from here.
    public var time: MonotonicTime

    public init(
        status: UInt16,
        kind: ExchangeFailure.Kind?,
        userMessage: String,
        isRemembered: Bool = false,
        time: MonotonicTime
    ) {
        self.status = status
        self.kind = kind
        self.userMessage = userMessage
        self.isRemembered = isRemembered
        self.time = time
    }

    public init(_ failure: ExchangeFailure, time: MonotonicTime) {
        self.init(status: failure.status, kind: failure.kind, userMessage: failure.userMessage, time: time)
        retryAfter = failure.retryAfter
        outage = failure.outage
        receivedStatus = failure.receivedStatus
        alert = failure.alert
        isRemembered = failure.wasNotSent
    }

    /// What a program's own request gets where the origin is not asked.
    init(notAskedIn mode: ServiceMode, time: MonotonicTime) {
        var failure = ExchangeFailure(.destinationUnavailable, "the origin is not asked in mode \(mode.rawValue)")
        failure.ownStatus = 504
        self.init(failure, time: time)
    }

    /// What a request gets that waited for an answer which is a failure, and another one's alone (C-23.0).
    init(unshared response: LoadedResponse, _ context: ResourceContext) {
        self.init(
            status: 503,
            kind: nil,
            userMessage: "the origin answered \(response.status) to the request that this one waited for, and lets "
                + "nobody share that answer; ask again after the time in Retry-After",
            time: context.now
        )
        let pause = context.configuration.policies.pause(response.status, response.fields, at: context.wallNow)
        retryAfter = pause ?? context.configuration.retryTime
        receivedStatus = response.status
        isOfAnother = true
    }

    /// A complete answer of the origin that is no data.
    init(status: UInt16, time: MonotonicTime) {
        self.init(status: status, kind: nil, userMessage: "the origin answered \(status)", time: time)
    }

    /// Whether the origin could not be reached, or broke off without an answer; one that cannot be read is an answer.
    var isOfSilentOrigin: Bool {
        switch kind {
        case nil, .protocolError, .responseHeadSize, .upgradeFailed: false
        case .some: status == 502
        }
    }

    /// The same, as it is told where something is stored that must not be used without the origin (RFC 9111 §5.2.2.2).
    func unvalidated(_ obstacle: StaleObstacle) -> ResourceError {
        var copy = self
        copy.status = 504
        copy.userMessage +=
            "; what is stored is stale, and its \(obstacle.rawValue) forbids to use it unvalidated:"
            + " `cache-even` in a rule lifts that, and stale content is then served while the origin is down"
        return copy
    }

    /// The same, as it is told to a later request.
    var remembered: ResourceError {
        var copy = self
        copy.isRemembered = true
        return copy
    }
}
