public import HTTPCore

/// An origin that is down, as whoever asks for something of it is told: nothing was sent.
public struct OriginOutage: Sendable, Equatable {
    /// Scheme, host and port, such as `http://origin.example:8080`.
    public let origin: String
    /// How the last attempt failed.
    public let kind: ExchangeFailure.Kind
    /// A sentence about that.
    public let reason: String
    /// When the first of the failures in a row happened, on the wall clock.
    public let since: HTTPDate
    /// Failures in a row.
    public let failures: Int
    /// Until the next attempt may be made; never negative.
    public let nextAttempt: Duration
    /// An attempt is under route: nobody makes another one meanwhile.
    public let isProbing: Bool

    /// The word of Cache-Status for what is served because of it.
    public static let detail = "origin-down"

    /// Whether a request would be sent now, to see whether the origin is back.
    public var mayAttempt: Bool { !isProbing && nextAttempt <= .zero }

    /// What a client is told.
    public var userMessage: String {
        let next =
            isProbing
            ? "an attempt is under route"
            : "the next attempt is made in \(max(1, wholeSeconds)) s at the earliest"
        return
            "\(origin) is down: \(failures) attempts in a row failed since \(String(decoding: since.bytes, as: UTF8.self)), "
            + "the last with: \(reason); this request was not sent; \(next)"
    }

    /// Seconds until the next attempt, rounded up.
    public var wholeSeconds: Int64 {
        let (seconds, attoseconds) = nextAttempt.components
        return seconds + (attoseconds > 0 ? 1 : 0)
    }

    /// Why `request` is not sent.
    ///
    /// What may be repeated gets the status of the failure that is remembered; other requests 503, so that nobody takes
    /// them for sent.
    func failure(for request: OriginRequest) -> ExchangeFailure {
        failure(status: request.method.isSafe && request.isWithoutContent ? nil : 503)
    }

    /// - Parameter status: nil for the status of the failure that is remembered.
    public func failure(status: UInt16? = nil) -> ExchangeFailure {
        var failure = ExchangeFailure(.destinationUnavailable, userMessage)
        failure.retryAfter = max(nextAttempt, .seconds(1))
        failure.outage = self
        failure.ownStatus = status ?? ExchangeFailure(kind, "").status
        return failure
    }
}
