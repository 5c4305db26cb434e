public import HTTPCore

/// The state of an origin that is down, for the requests that are not sent because of it.
public struct OriginOutage: Sendable, Equatable {
    /// Scheme, host and port, such as `http://origin.example:8080`.
    public let origin: String
    /// How the last attempt failed.
    public let kind: ExchangeFailure.Kind
    /// A sentence about that failure.
    public let reason: String
    /// When the first of the failures in a row happened, on the wall clock.
    public let since: HTTPDate
    /// The number of failures in a row.
    public let failures: Int
    /// The time until the next attempt may be made; never negative.
    public let nextAttempt: Duration
    /// Whether an attempt is in progress, during which no other is made.
    public let isProbing: Bool

    /// The word in Cache-Status for responses that are served because of an outage.
    public static let detail = "origin-down"

    /// Whether a request would be sent now, as an attempt.
    public var mayAttempt: Bool { !isProbing && nextAttempt <= .zero }

    /// The sentence for a client.
    public var userMessage: String {
        let next =
            isProbing
            ? "an attempt is in progress"
            : "the next attempt is made in \(max(1, wholeSeconds)) s at the earliest"
        return
            "\(origin) is down: \(failures) attempts in a row failed since \(String(decoding: since.bytes, as: UTF8.self)), "
            + "the last with: \(reason); this request was not sent; \(next)"
    }

    /// The seconds until the next attempt, rounded up.
    public var wholeSeconds: Int64 {
        let (seconds, attoseconds) = nextAttempt.components
        return seconds + (attoseconds > 0 ? 1 : 0)
    }

    /// The failure of `request`, which is not sent.
    ///
    /// A request that may be repeated gets the status of the last failure. Others get 503, which shows that they were
    /// not sent.
    func failure(for request: OriginRequest) -> ExchangeFailure {
        failure(status: request.isRepeatable && request.method.isSafe || request.repeatableContent != nil ? nil : 503)
    }

    /// The failure of a request that is not sent.
    ///
    /// - Parameter status: nil for the status of the last failure.
    public func failure(status: UInt16? = nil) -> ExchangeFailure {
        var failure = ExchangeFailure(.destinationUnavailable, userMessage)
        failure.retryAfter = max(nextAttempt, .seconds(1))
        failure.outage = self
        failure.ownStatus = status ?? ExchangeFailure(kind, "").status
        return failure
    }
}
