package import Exchanges

/// Why a run has no result.
package enum RunFailure: Error, Sendable {
    /// A transformer failed. It would fail again.
    case transformation(TransformationFailure)
    /// The content is incomplete.
    case interrupted(ExchangeFailure)
    /// The worker threads are overloaded.
    case overloaded
    /// All runs together use all the memory that they may.
    case outOfMemory
    /// All clients have left.
    case cancelled

    /// The failure that readers of the output receive.
    package var exchangeFailure: ExchangeFailure {
        switch self {
        case .transformation(let failure):
            ExchangeFailure(.internalError, failure.userMessage)
        case .interrupted(let failure):
            failure
        case .overloaded:
            ExchangeFailure(.connectionLimitReached, "too many responses wait to be transformed; try again")
        case .outOfMemory:
            ExchangeFailure(
                .connectionLimitReached,
                "all transformations together use as much memory as `limits.transform-memory` allows; try again, or "
                    + "raise it"
            )
        case .cancelled:
            ExchangeFailure(.cancelled, "no client waits for the transformed response any more")
        }
    }
}
