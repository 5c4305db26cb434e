public import Outcomes

/// What a resource returns for a request.
public enum CacheResult: Sendable {
    /// Serve this stored response; apply the request's conditions and ranges to it.
    case stored(StoredResponse, CacheOutcome)
    /// Relay this response while it arrives; `Waiter.cancel` or the waiter's end reports that the client reads no more.
    case following(LoadedResponse, CacheOutcome)
    /// Send the parts of this response that the request wants: from the store, and as they are loaded (C-22.1).
    ///
    /// The response has no bytes itself; `Resource.serve` finds them, by a request for `WantedBytes`. The loaded
    /// response, if there is one, brings some.
    indirect case assembling(StoredResponse, LoadedResponse?, CacheOutcome)
    /// Send the request to the origin unchanged, and relay the response without the core.
    case pass(PassReason)
    /// There is no response.
    ///
    /// Indirect: an error is large, and most results are none.
    indirect case failure(ResourceError)
    /// The core does not ask the origin for this request.
    case refused(CacheRefusal)
}
