import Locking

/// Loads that no client and no program's request asks for.
extension Resource {
    /// Loads over an exchange, whatever is stored; `completion` receives the outcome under no lock, on any thread, or
    /// inside the call.
    ///
    /// - Parameter request: if given, its provider has the response, and the origin is not asked.
    package func refresh(as request: ClientRequest? = nil, _ completion: @escaping @Sendable (LoadOutcome) -> Void) {
        perform { _ = $0.load(for: Refresh(completion), as: request) }
    }

    /// Progress of the newest load, between 0 and 1; nil without one, or if it is unknown (S-220).
    package var loadProgress: Double? {
        let source: (any ProgressSource)? = state.withLock { state in
            let exchange = state.loads.records.last(where: \.isActive)
            let other = state.program?.newestLoad
            return (other?.number ?? 0) > (exchange?.number ?? 0) ? other?.source : exchange?.load
        }
        return source.flatMap { $0.progress.isNaN ? nil : $0.progress }
    }

    /// Awaits the end of one load.
    private final class Refresh: LoadCaller {
        private let completion: @Sendable (LoadOutcome) -> Void

        init(_ completion: @escaping @Sendable (LoadOutcome) -> Void) { self.completion = completion }

        func follow(_ load: Load) {}
        func loadDidEnd(_ outcome: LoadOutcome) { completion(outcome) }
        func cancel(isServiceDropped: Bool) { completion(.cancelled) }
    }
}
