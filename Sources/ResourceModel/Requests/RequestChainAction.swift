import ResourceCore

/// What a chain returns for the response of the request that it wraps (S-137).
public enum RequestChainAction: Sendable {
    /// The result of another request; it is started if it was not.
    case passTo(Request)
    /// This result.
    case useResponse(ResponseInfo)
    /// The wrapped request's result.
    case useThisResponse
}
