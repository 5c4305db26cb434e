import HTTPCore

/// Prepares the attempts of one exchange, and decides whether another is made.
///
/// Calls may come from any thread, but never two at a time.
protocol AttemptPolicy: AnyObject, Sendable {
    /// Prepares an attempt; calls back once, perhaps inside this call, with the request to send.
    func prepare(_ request: OriginRequest, _ completion: @escaping @Sendable (AttemptStart) -> Void)
    /// Decides about an attempt by its final head; nothing of the response has been passed on.
    func verdict(_ head: ResponseHead) -> AttemptVerdict
    /// Decides about an attempt that failed before any final head.
    func verdict(_ failure: ExchangeFailure) -> AttemptVerdict
    /// The exchange was cancelled before its next attempt had begun.
    func withdraw()
}

extension AttemptPolicy {
    func verdict(_ head: ResponseHead) -> AttemptVerdict { .passOn }
    func verdict(_ failure: ExchangeFailure) -> AttemptVerdict { .passOn }
    func withdraw() {}
}

/// How an attempt begins.
enum AttemptStart: Sendable {
    case now(OriginRequest)
    case after(Duration, OriginRequest)
    case failed(ExchangeFailure)
}

/// What to do with an attempt.
enum AttemptVerdict: Sendable {
    /// Pass it on to the receiver.
    case passOn
    /// Drop it, and prepare another one after this time.
    case again(after: Duration)
}
