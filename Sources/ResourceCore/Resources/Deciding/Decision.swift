package import Outcomes

/// What to do with one request: docs/specification/resources.md §1.
package enum Decision {
    case answer(CacheResult)
    /// Serve this response; if `refreshes`, validate it in the background, too.
    case serve(StoredResponse, CacheOutcome, refreshes: Bool)
    /// Look into the store first.
    case lookUp
    /// Join this load; `selection` is the request's key by the names that the load knows.
    case join(UInt64, selection: [UInt8])
    case load(LoadPlan)
}
