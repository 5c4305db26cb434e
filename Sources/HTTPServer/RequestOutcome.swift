/// What became of a request, for the access log and the metrics.
public enum RequestOutcome: UInt8, Sendable, CaseIterable {
    /// Answered by the proxy itself, such as its page on `/`; or the client left before anything was decided.
    case own
    /// A stored, fresh response, without asking the origin.
    case hit
    /// A stored, stale response, without waiting for the origin.
    case stale
    /// A stored response that the origin confirmed or replaced parts of.
    case revalidated
    /// A response of the origin, loaded for this request.
    case miss
    /// A response that another request's load brought.
    case collapsed
    /// Sent past the store.
    case pass
    case upgrade
    case tunnel
    /// A command to the cache: PURGE, BAN or REFRESH.
    case command
    /// Not forwarded: a rule or a limit forbids it.
    case refused
    /// The origin failed.
    case error
    /// The client ended its side before the response.
    case left

    /// The word in the log and in labels of metrics.
    public var text: StaticString {
        switch self {
        case .own: "own"
        case .hit: "hit"
        case .stale: "stale"
        case .revalidated: "revalidated"
        case .miss: "miss"
        case .collapsed: "collapsed"
        case .pass: "pass"
        case .upgrade: "upgrade"
        case .tunnel: "tunnel"
        case .command: "command"
        case .refused: "refused"
        case .error: "error"
        case .left: "left"
        }
    }
}

/// Receives each exchange once it has ended.
public protocol ExchangeRecorder: AnyObject {
    /// - Parameter isComplete: whether the response was written as announced.
    func exchangeDidEnd(_ exchange: ServerExchange, isComplete: Bool)
}
