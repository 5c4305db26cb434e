public import Observability

/// Gives the admin API the recent requests.
public struct RequestSource: Sendable {
    /// Calls `completion` with the requests behind an identifier, on any thread; not at all while the daemon stops.
    public var gather: @Sendable (_ after: RequestID, _ completion: @escaping @Sendable (RecentRecords) -> Void) -> Void

    /// Without requests.
    public init() { gather = { _, completion in completion(RecentRecords()) } }

    public init(
        gather:
            @escaping @Sendable (_ after: RequestID, _ completion: @escaping @Sendable (RecentRecords) -> Void) -> Void
    ) {
        self.gather = gather
    }
}
