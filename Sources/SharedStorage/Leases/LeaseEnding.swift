/// How a lease ends without a stored response.
enum LeaseEnding {
    /// The response may not be shared: for a while nodes do not wait for each other's loads.
    case unshareable
    /// The response is too large or too slow for others to wait for.
    case slow
    /// The origin failed.
    case failed
    /// Nobody wanted the response any more: a node that waits loads it itself.
    case cancelled

    /// Whether no response of the load will come.
    var isFinal: Bool { self == .failed || self == .cancelled }

    /// How long nodes then load without waiting; nil: the next load acquires a new lease.
    var pause: Duration? {
        switch self {
        case .unshareable: .seconds(30)
        case .slow: .seconds(10)
        case .failed: .seconds(1)
        case .cancelled: nil
        }
    }
}
