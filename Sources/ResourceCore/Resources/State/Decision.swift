/// What to do with one request: docs/specification/resources.md §1.
package enum Decision {
    case answer(CacheResult)
    /// Serve this; `refreshes`: and validate it in the background.
    case serve(StoredResponse, CacheOutcome, refreshes: Bool)
    /// Ask the store first.
    case lookUp
    /// Join the load with this number; `selection` is the request's by the names that select there.
    case join(UInt64, selection: [UInt8])
    case load(LoadPlan)
}
