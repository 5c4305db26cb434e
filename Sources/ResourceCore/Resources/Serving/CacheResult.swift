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

/// Why a request bypasses the core; the raw value is the detail of Cache-Status.
public enum PassReason: String, Sendable {
    /// A Range that no stored response can serve (C-16.4).
    case range
    /// The request has no-store, and no stored response may be used.
    case requestNoStore = "request-no-store"
    /// A HEAD that nothing stored answers (C-23.5).
    case head
    /// The request asks for an event stream (C-24.5).
    case eventStream = "event-stream"
    /// If-Match or If-Unmodified-Since: for the origin to judge (RFC 9111 §4.3.2).
    case originCondition = "origin-condition"
    /// A rule forbids caching for this URI.
    case neverCache = "never-cache"
}

/// Why there is no response without the origin; the raw value is the detail of Cache-Status.
public enum CacheRefusal: String, Sendable {
    case onlyIfCached = "only-if-cached"
    /// The origin is not asked at all: modes `offline` and `replay` (C-25.2).
    case offline
    case replay
    /// The limit of waiting requests is reached (H-134).
    case tooManyWaiters = "too-many-waiters"

    /// For a mode in which the origin is not asked; nil for the others.
    package init?(_ mode: ServiceMode) {
        switch mode {
        case .online, .auto: return nil
        case .offline: self = .offline
        case .replay: self = .replay
        }
    }
}
