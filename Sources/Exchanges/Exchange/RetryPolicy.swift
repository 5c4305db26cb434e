import HTTPCore

/// Retries requests after failures of the network and certain statuses, with growing, jittered pauses.
///
/// It retries only questions, and requests without content whose method is idempotent (RFC 9110 §9.2.2). It retries
/// nothing once a part of a response was passed on.
public struct RetryPolicy: Sendable, Equatable {
    /// The number of attempts, the first one included.
    public var attempts = 3
    /// The pause before the second attempt; each further one is twice as long.
    ///
    /// Jitter shortens it by up to half.
    public var delay: Duration = .milliseconds(200)
    /// The longest pause, except for one that the origin asks for by Retry-After.
    public var maximumDelay: Duration = .seconds(5)
    /// No attempt begins later than this after the first.
    public var total: Duration = .seconds(10)
    /// The statuses that count as failures.
    public var statuses: [ClosedRange<UInt16>] = [502...504]

    public init() {}

    /// Whether `request` may be retried.
    func mayRepeat(_ request: OriginRequest) -> Bool { request.isRepeatable }

    func isFailure(_ status: UInt16) -> Bool { statuses.contains { $0.contains(status) } }

    /// Whether another attempt may succeed.
    func isFailure(_ failure: ExchangeFailure) -> Bool {
        // No attempt was made, and another would not be made either.
        if failure.wasNotSent { return false }
        return switch failure.kind {
        case .dnsTimeout, .destinationUnavailable, .connectionRefused, .connectionTerminated, .connectionTimeout,
            .connectionReadTimeout, .connectionWriteTimeout, .responseIncomplete, .responseTimeout:
            true
        case .dnsError, .destinationNotFound, .destinationProhibited, .requestDenied, .destinationUnroutable,
            .connectionLimitReached, .responseHeadSize, .upgradeFailed, .protocolError, .tlsProtocolError,
            .tlsCertificateError,
            .tlsAlertReceived, .loopDetected, .notSupported, .cancelled, .internalError:
            false
        }
    }

    /// The pause before the next attempt; nil if there is none.
    ///
    /// - Parameters:
    ///   - made: the number of attempts so far.
    ///   - elapsed: the time since the first attempt.
    ///   - retryAfter: the pause that the origin asks for.
    ///   - chance: from 0 to 1, for jitter.
    func pause(after made: Int, elapsed: Duration, retryAfter: Duration?, chance: Double) -> Duration? {
        guard made < attempts else { return nil }
        var full = min(delay, maximumDelay)
        for _ in 1..<max(1, min(made, 32)) where full < maximumDelay { full = min(full * 2, maximumDelay) }
        let pause = max(full * (0.5 + min(max(chance, 0), 1) / 2), retryAfter ?? .zero)
        return elapsed + pause <= total ? pause : nil
    }
}

/// The field Retry-After (RFC 9110 §10.2.3).
enum RetryAfter {
    /// The pause that a response asks for, never negative; nil if the field is missing or malformed.
    static func pause(_ fields: Fields, at now: HTTPDate) -> Duration? {
        guard let text = fields.text(of: .retryAfter) else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return .seconds(min(Int64(text) ?? .max, limit))
        }
        return HTTPDate(parsing: Array(text.utf8), now: now).map {
            .seconds(min(max(0, $0.seconds - now.seconds), limit))
        }
    }

    /// 68 years, in seconds.
    private static let limit: Int64 = 1 << 31
}
