/// How a lease ends without a stored response.
enum LeaseEnding {
    /// The response may not be shared: for a while nobody waits for others' loads.
    case unshareable
    /// The response is too large or too slow for others to wait for.
    case slow
    /// The origin failed.
    case failed
    /// No client wanted the response any more: a node that waits loads it.
    case cancelled

    /// Whether the load brings no response any more.
    var isFinal: Bool { self == .failed || self == .cancelled }

    /// How long no node waits; nil: the next load takes a new lease.
    var pause: Duration? {
        switch self {
        case .unshareable: .seconds(30)
        case .slow: .seconds(10)
        case .failed: .seconds(1)
        case .cancelled: nil
        }
    }
}
