public import Observability

/// Gives the admin API the recent requests.
public struct RequestSource: Sendable {
    /// Receives recent requests; nil: too many readers are under way.
    public typealias Completion = @Sendable (RecentRecords?) -> Void

    /// Calls `completion` with the requests behind an identifier, on a worker; not at all while the daemon stops.
    ///
    /// With nil it may be called on any thread, also at once.
    public var gather: @Sendable (_ after: RequestID, _ completion: @escaping Completion) -> Void

    /// Without requests.
    public init() { gather = { _, completion in completion(RecentRecords()) } }

    public init(gather: @escaping @Sendable (_ after: RequestID, _ completion: @escaping Completion) -> Void) {
        self.gather = gather
    }
}
