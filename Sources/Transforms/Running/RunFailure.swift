package import Exchanges

/// Why a run gave no result.
package enum RunFailure: Error, Sendable {
    /// A transformer failed: it would again.
    case transformation(TransformationFailure)
    /// The content did not come whole.
    case interrupted(ExchangeFailure)
    /// The worker threads have too much to do.
    case overloaded
    /// All runs together take as much memory as they may.
    case outOfMemory
    /// Nobody wanted it any more.
    case cancelled

    /// What readers of the output get.
    package var exchangeFailure: ExchangeFailure {
        switch self {
        case .transformation(let failure):
            ExchangeFailure(.internalError, failure.userMessage, responseHadBegun: true)
        case .interrupted(let failure):
            failure
        case .overloaded:
            ExchangeFailure(.connectionLimitReached, "too many responses wait to be transformed; try again")
        case .outOfMemory:
            ExchangeFailure(
                .connectionLimitReached,
                "all transformations together take as much memory as `limits.transform-memory` lets them; try again, or let "
                    + "them take more"
            )
        case .cancelled:
            ExchangeFailure(.cancelled, "nobody waits for the transformed response any more", responseHadBegun: true)
        }
    }
}
