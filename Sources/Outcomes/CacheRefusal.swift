package import Configurations

/// Why there is no response without the origin; the raw value is the detail of Cache-Status.
public enum CacheRefusal: String, Sendable {
    case onlyIfCached = "only-if-cached"
    /// The origin is not asked at all: modes `offline` and `replay` (C-25.2).
    case offline
    case replay
    /// The limit of waiting requests is reached (H-134).
    case tooManyWaiters = "too-many-waiters"

    /// The refusal in a mode that asks no origin; nil for other modes.
    package init?(_ mode: ServiceMode) {
        switch mode {
        case .online, .auto: return nil
        case .offline: self = .offline
        case .replay: self = .replay
        }
    }
}
