import HTTPCaching
import HTTPCore

/// Whether the data will do: the test of `loadIfNeeded`.
extension ResourceState {
    /// Whether there is nothing to load (S-084, S-085).
    ///
    /// Data within its lifetime is up to date whatever failed since (S-250); after a failure nothing is for the retry time
    /// (S-041). An empty resource never is (S-240).
    func isUpToDate(_ circumstances: Circumstances) -> Bool {
        if errorLimitsRetries, let error, isWithinRetryTime(error.failure, circumstances) {
            circumstances.notes?.add(
                .staleness,
                "\(circumstances.uri.text): failed \(circumstances.now - error.time) ago, not tried again yet"
            )
            return true
        }
        let isFresh = isDataFresh(circumstances)
        circumstances.notes?.add(.staleness, "\(circumstances.uri.text): \(reason(isFresh, circumstances))")
        return isFresh
    }

    private func isDataFresh(_ circumstances: Circumstances) -> Bool {
        if isInvalidated { return false }
        if let held { return held.isFresh(circumstances) }
        guard let data = latestResponse, !data.isInvalidated else { return false }
        if data.isLocal || data.metadata.lifetimeSource == .none {
            return circumstances.now - data.receivedAt <= circumstances.configuration.expirationTime
        }
        return data.isFresh(at: circumstances.now)
    }

    /// The words of the log (S-232).
    private func reason(_ isFresh: Bool, _ circumstances: Circumstances) -> String {
        if isInvalidated { return "stale: invalidated" }
        let since = held.map(\.validSince) ?? latestResponse?.receivedAt
        guard let since else { return held == nil ? "stale: no data" : "stale: dated in the future" }
        return "\(isFresh ? "up to date" : "stale"), last valid \(circumstances.now - since) ago"
    }
}
