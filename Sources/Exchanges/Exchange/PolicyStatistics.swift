import Synchronization

/// What policies have done, for metrics.
public final class PolicyStatistics: Sendable {
    private let retryCount = Atomic<Int>(0)
    private let waitCount = Atomic<Int>(0)
    private let refusalCount = Atomic<Int>(0)
    private let tokenCount = Atomic<Int>(0)

    public init() {}

    /// Attempts made again after a failure.
    public var retries: Int { retryCount.load(ordering: .relaxed) }
    /// Requests that waited for their turn under a rate limit.
    public var waits: Int { waitCount.load(ordering: .relaxed) }
    /// Requests refused by a rate limit.
    public var refusals: Int { refusalCount.load(ordering: .relaxed) }
    /// Tokens asked for.
    public var tokens: Int { tokenCount.load(ordering: .relaxed) }

    func noteRetry() { retryCount.add(1, ordering: .relaxed) }
    func noteWait() { waitCount.add(1, ordering: .relaxed) }
    func noteRefusal() { refusalCount.add(1, ordering: .relaxed) }
    func noteToken() { tokenCount.add(1, ordering: .relaxed) }
}
