import ResourceCore

/// What a chain makes of the response of the request it wraps (S-137).
public enum RequestChainAction: Sendable {
    /// Another request decides; it is started if it was not.
    case passTo(Request)
    /// This is the chain's result.
    case useResponse(ResponseInfo)
    /// The wrapped request's result is the chain's.
    case useThisResponse
}
