package import Configurations
public import Exchanges
package import HTTPCaching
public import HTTPCore
public import Transforms

/// Why a load brought no response that can be passed on; `Resource.latestError` is one.
public struct ResourceError: Error, Sendable, Equatable {
    /// The status for clients.
    public var status: UInt16
    /// The error type of RFC 9209; nil if the origin answered completely, with `status`.
    public var kind: ExchangeFailure.Kind?
    /// A sentence for a person.
    public var userMessage: String
    /// Whether this repeats an earlier failure within the retry time (S-041).
    public var isRemembered: Bool
    /// The transformer that failed, if one did: Cache-Status then has `transform-failed`.
    public var transformation: TransformationFailure?
    /// When another attempt may succeed, if that is known.
    public var retryAfter: Duration?
    /// The outage of the origin, because of which nothing was sent.
    public var outage: OriginOutage?
    /// The status of a proxy that refused, or of a response to another request.
    public var receivedStatus: UInt16?
    /// Whether the load of another request failed, whose response may not be shared with this one.
    public var isOfAnother = false
    /// The alert with which the origin ended TLS.
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

    /// For a program's own request in a mode that does not ask the origin.
    package init(notAskedIn mode: ServiceMode, time: MonotonicTime) {
        var failure = ExchangeFailure(.destinationUnavailable, "the origin is not asked in mode \(mode.rawValue)")
        failure.ownStatus = 504
        self.init(failure, time: time)
    }

    /// For a complete error response of the origin.
    package init(status: UInt16, time: MonotonicTime) {
        self.init(status: status, kind: nil, userMessage: "the origin answered \(status)", time: time)
    }

    /// Whether the origin could not be reached, or ended without a response; an unreadable response counts as one.
    package var isOfSilentOrigin: Bool {
        switch kind {
        case nil, .protocolError, .responseHeadSize, .upgradeFailed: false
        case .some: status == 502
        }
    }

    /// The error for a client where a stored response must not be used without the origin (RFC 9111 §5.2.2.2).
    package func unvalidated(_ obstacle: StaleObstacle) -> ResourceError {
        var copy = self
        copy.status = 504
        copy.userMessage +=
            "; what is stored is stale, and its \(obstacle.rawValue) forbids to use it unvalidated:"
            + " `cache-even` in a rule lifts that, and stale content is then served while the origin is down"
        return copy
    }

    /// The same error, for a later request within the retry time.
    package var remembered: ResourceError {
        var copy = self
        copy.isRemembered = true
        return copy
    }
}
