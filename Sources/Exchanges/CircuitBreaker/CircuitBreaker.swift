import HTTPCore

/// Counts the failures of one origin, and decides when an attempt may be made: a pure state machine (C-25.3).
///
/// The origin is down after a number of failures in a row, and up with the first response. While it is down, attempts
/// are made one at a time, and each pause is twice as long as the one before.
struct CircuitBreaker: Sendable {
    private struct Outage {
        /// The pause before the next attempt, without jitter.
        var spacing: Duration
        var nextAttempt: MonotonicTime
        var probe: (number: UInt64, began: MonotonicTime)?
    }

    enum Admission: Equatable {
        /// The origin is not down.
        case free
        /// The request is an attempt to find out whether the origin is up again; the caller reports how it ends.
        case probe
        /// The origin is down, and no attempt is due.
        case refused
    }

    private var outage: Outage?
    private(set) var failures = 0
    private var last: (kind: ExchangeFailure.Kind, reason: String)?
    private var since = HTTPDate(seconds: 0)
    /// When the origin last failed or recovered.
    private(set) var changedAt: MonotonicTime
    /// When the origin last recovered from being down.
    private(set) var recoveredAt: MonotonicTime?

    init(now: MonotonicTime) { changedAt = now }

    var isDown: Bool { outage != nil }

    /// Decides whether a request may be sent.
    ///
    /// - Parameters:
    ///   - number: identifies the attempt, if the request becomes one.
    ///   - chance: from 0 to 1, for jitter.
    mutating func admit(
        _ number: UInt64,
        at now: MonotonicTime,
        _ options: CircuitBreakers.Options,
        _ chance: Double
    )
        -> Admission
    {
        guard let outage else { return .free }
        guard now >= outage.nextAttempt, !isProbing(now, options) else { return .refused }
        self.outage?.probe = (number, now)
        // If the client of the probe leaves, the next attempt waits as long as this one did.
        self.outage?.nextAttempt = now + Self.pause(outage.spacing, chance)
        return .probe
    }

    /// Whether an attempt is in progress.
    ///
    /// One that takes longer than `probeTime`, perhaps for its content, no longer prevents others.
    private func isProbing(_ now: MonotonicTime, _ options: CircuitBreakers.Options) -> Bool {
        outage?.probe.map { now - $0.began < options.probeTime } ?? false
    }

    /// Counts a failure; returns whether the origin is down from now on.
    ///
    /// - Parameter number: the number of the probe that failed; nil for a request sent before the outage, which changes
    ///   no pause.
    mutating func fail(
        _ failure: ExchangeFailure,
        probe number: UInt64?,
        at now: MonotonicTime,
        wall: HTTPDate,
        _ options: CircuitBreakers.Options,
        _ chance: Double
    ) -> Bool {
        if failures == 0 { since = wall }
        failures += 1
        last = (failure.kind, failure.userMessage)
        changedAt = now
        guard let present = outage else {
            guard failures >= options.failures else { return false }
            let spacing = min(options.spacing, options.maximumSpacing)
            outage = Outage(spacing: spacing, nextAttempt: now + Self.pause(spacing, chance))
            return true
        }
        guard let number, present.probe?.number == number else { return false }
        let spacing = min(present.spacing * 2, options.maximumSpacing)
        outage = Outage(spacing: spacing, nextAttempt: now + Self.pause(spacing, chance))
        return false
    }

    /// Notes that the probe ended without a result.
    mutating func abandon(probe number: UInt64) {
        if outage?.probe?.number == number { outage?.probe = nil }
    }

    /// Notes a response of the origin; returns whether it was down.
    mutating func succeed(at now: MonotonicTime) -> Bool {
        let wasDown = isDown
        failures = 0
        last = nil
        outage = nil
        if wasDown {
            recoveredAt = now
            changedAt = now
        }
        return wasDown
    }

    /// The state of the origin while it is down; nil if it is up.
    func outage(of origin: Origin, at now: MonotonicTime, _ options: CircuitBreakers.Options) -> OriginOutage? {
        guard let outage, let last else { return nil }
        return OriginOutage(
            origin: origin.text,
            kind: last.kind,
            reason: last.reason,
            since: since,
            failures: failures,
            nextAttempt: max(.zero, outage.nextAttempt - now),
            isProbing: isProbing(now, options)
        )
    }

    /// The pause for a spacing: jitter shortens it by up to a fifth.
    private static func pause(_ spacing: Duration, _ chance: Double) -> Duration {
        spacing * (0.8 + min(max(chance, 0), 1) * 0.2)
    }
}
