public import Outcomes

/// Awaits the end of a load, without following its response.
package protocol LoadCaller: AnyObject, Sendable {
    /// From now on this load brings the result.
    func follow(_ load: Load)
    /// Called once, under no lock, after observers were notified (S-124).
    func loadDidEnd(_ outcome: LoadOutcome)
    /// The load is cancelled: the resource ends, since its service was dropped, or drops what it loads.
    func cancel(isServiceDropped: Bool)
}

/// How a load ended, for callers that do not follow its response.
public enum LoadOutcome: Sendable {
    /// The response; nil if it was too large to be kept.
    case newData(StoredResponse?)
    case notModified(StoredResponse)
    case failure(ResourceError)
    case cancelled
}
