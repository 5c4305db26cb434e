import HTTPCore

/// Decides for one exchange what each of its attempts needs, and whether another is made.
///
/// Called by one attempt after the other; on any thread.
protocol AttemptPolicy: AnyObject, Sendable {
    /// Gets an attempt ready: told once with the request as it is made then; perhaps inside this call.
    func prepare(_ request: OriginRequest, _ completion: @escaping @Sendable (AttemptStart) -> Void)
    /// What follows from a final head; nothing of the response has been passed on.
    func verdict(_ head: ResponseHead) -> AttemptVerdict
    /// What follows from a failure before any final head.
    func verdict(_ failure: ExchangeFailure) -> AttemptVerdict
    /// The exchange was given up before its next attempt had begun.
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

/// What becomes of an attempt.
enum AttemptVerdict: Sendable {
    /// It is the receiver's.
    case passOn
    /// It is dropped for another one, which gets ready once this has passed.
    case again(after: Duration)
}
