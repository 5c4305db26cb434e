import Exchanges
import HTTPCaching
import HTTPCore
import ResourceCore

/// Whether the data is good enough: the test of `loadIfNeeded`.
extension Transition {
    /// Whether no load is needed (S-084, S-085).
    ///
    /// After a failure, no load is needed for the retry time (S-041). Otherwise data within its lifetime is up to date,
    /// whatever failed before (S-250). A resource without data never is (S-240).
    var isUpToDate: Bool {
        if let error = state.error, error.limitsRetries, context.isWithinRetryTime(error.failure) {
            context.notes?.add(
                .staleness,
                "\(context.uri.text): failed \(context.now - error.time) ago, not tried again yet"
            )
            return true
        }
        let isFresh = isDataFresh
        context.notes?.add(.staleness, "\(context.uri.text): \(reason(isFresh))")
        return isFresh
    }

    private var isDataFresh: Bool {
        if variants.isInvalidated { return false }
        if let entity = state.model.entity { return entity.isFresh(context) }
        guard let data = state.latestResponse, !data.isInvalidated else { return false }
        if data.isLocal || data.metadata.lifetimeSource == .none {
            return context.now - data.receivedAt <= configuration.expirationTime
        }
        return data.isFresh(at: context.now)
    }

    /// The reason for the log (S-232).
    private func reason(_ isFresh: Bool) -> String {
        if variants.isInvalidated { return "stale: invalidated" }
        let entity = state.model.entity
        let since = entity.map(\.validSince) ?? state.latestResponse?.receivedAt
        guard let since else { return entity == nil ? "stale: no data" : "stale: dated in the future" }
        return "\(isFresh ? "up to date" : "stale"), last valid \(context.now - since) ago"
    }
}
