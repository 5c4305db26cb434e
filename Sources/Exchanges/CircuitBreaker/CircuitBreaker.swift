import HTTPCore

/// What is known of one origin's failures: a pure state machine (C-25.3).
///
/// It is down after so many failures in a row, and up with the first answer. While it is down attempts are spaced, each
/// pause twice as long as the one before, and one is made at a time.
struct CircuitBreaker: Sendable {
    private struct Outage {
        /// The pause before the next attempt, before chance takes its part.
        var spacing: Duration
        var nextAttempt: MonotonicTime
        var probe: (number: UInt64, began: MonotonicTime)?
    }

    enum Admission: Equatable {
        /// The origin is not known to be down.
        case free
        /// To see whether it is back; whoever gets this tells how it ended.
        case probe
        /// It is down, and now is not the time.
        case refused
    }

    private var outage: Outage?
    private(set) var failures = 0
    private var last: (kind: ExchangeFailure.Kind, reason: String)?
    private var since = HTTPDate(seconds: 0)
    /// When it last failed or came back.
    private(set) var changedAt: MonotonicTime
    /// When it last came back after it was down.
    private(set) var reopenedAt: MonotonicTime?

    init(now: MonotonicTime) { changedAt = now }

    var isDown: Bool { outage != nil }

    /// - Parameters:
    ///   - number: names the attempt, if it becomes the probe.
    ///   - chance: from 0 to 1; what jitter is made of.
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
        // Should its client leave, the next one waits as long as this one did.
        self.outage?.nextAttempt = now + Self.pause(outage.spacing, chance)
        return .probe
    }

    /// One that takes too long, for the length of its content perhaps, keeps others from trying no more.
    private func isProbing(_ now: MonotonicTime, _ options: CircuitBreakers.Options) -> Bool {
        outage?.probe.map { now - $0.began < options.probeTime } ?? false
    }

    /// An attempt failed; true if the origin is down since.
    /// - Parameter number: of the probe; another attempt, begun before, spaces nothing anew.
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

    /// The probe was given up.
    mutating func abandon(probe number: UInt64) {
        if outage?.probe?.number == number { outage?.probe = nil }
    }

    /// The origin answered; true if it was down.
    mutating func succeed(at now: MonotonicTime) -> Bool {
        let wasDown = isDown
        failures = 0
        last = nil
        outage = nil
        if wasDown {
            reopenedAt = now
            changedAt = now
        }
        return wasDown
    }

    /// What is told of the origin while it is down.
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

    /// A fifth of it is left to chance.
    private static func pause(_ spacing: Duration, _ chance: Double) -> Duration {
        spacing * (0.8 + min(max(chance, 0), 1) * 0.2)
    }
}
