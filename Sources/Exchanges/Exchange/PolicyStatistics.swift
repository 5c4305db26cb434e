import Synchronization

/// Counts what policies have done, for metrics.
public final class PolicyStatistics: Sendable {
    private let retryCount = Atomic<Int>(0)
    private let waitCount = Atomic<Int>(0)
    private let refusalCount = Atomic<Int>(0)
    private let tokenCount = Atomic<Int>(0)

    public init() {}

    /// The number of attempts after a failure.
    public var retries: Int { retryCount.load(ordering: .relaxed) }
    /// The number of requests that waited because of a rate limit.
    public var waits: Int { waitCount.load(ordering: .relaxed) }
    /// The number of requests that a rate limit refused.
    public var refusals: Int { refusalCount.load(ordering: .relaxed) }
    /// The number of requests for tokens.
    public var tokens: Int { tokenCount.load(ordering: .relaxed) }

    func noteRetry() { retryCount.add(1, ordering: .relaxed) }
    func noteWait() { waitCount.add(1, ordering: .relaxed) }
    func noteRefusal() { refusalCount.add(1, ordering: .relaxed) }
    func noteToken() { tokenCount.add(1, ordering: .relaxed) }
}
