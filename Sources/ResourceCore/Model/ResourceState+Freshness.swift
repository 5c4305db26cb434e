import HTTPCaching
import HTTPCore

/// Whether the data will do: the test of `loadIfNeeded`.
extension ResourceState {
    /// Whether there is nothing to load (S-084, S-085).
    ///
    /// Data within its lifetime is up to date whatever failed since (S-250); after a failure nothing is for the retry time
    /// (S-041). An empty resource never is (S-240).
    func isUpToDate(_ context: ResourceContext) -> Bool {
        if errorLimitsRetries, let error, isWithinRetryTime(error.failure, context) {
            context.notes?.add(
                .staleness,
                "\(context.uri.text): failed \(context.now - error.time) ago, not tried again yet"
            )
            return true
        }
        let isFresh = isDataFresh(context)
        context.notes?.add(.staleness, "\(context.uri.text): \(reason(isFresh, context))")
        return isFresh
    }

    private func isDataFresh(_ context: ResourceContext) -> Bool {
        if isInvalidated { return false }
        if let held { return held.isFresh(context) }
        guard let data = latestResponse, !data.isInvalidated else { return false }
        if data.isLocal || data.metadata.lifetimeSource == .none {
            return context.now - data.receivedAt <= context.configuration.expirationTime
        }
        return data.isFresh(at: context.now)
    }

    /// The words of the log (S-232).
    private func reason(_ isFresh: Bool, _ context: ResourceContext) -> String {
        if isInvalidated { return "stale: invalidated" }
        let since = held.map(\.validSince) ?? latestResponse?.receivedAt
        guard let since else { return held == nil ? "stale: no data" : "stale: dated in the future" }
        return "\(isFresh ? "up to date" : "stale"), last valid \(context.now - since) ago"
    }
}
