import HTTPCore
import Observability
import Platform
import ResourceCore
import Settings

extension SharedServices {
    /// What `Warming` needs for the schedules of `[[warm]]`.
    ///
    /// - Parameter read: reads a list; blocks.
    func warmingTools(
        _ log: Logger,
        read: @escaping @Sendable (WarmSettings) -> Result<[TargetURI], SettingsError>
    ) -> Warming.Tools {
        Warming.Tools(
            timekeeper: service.table.environment.timekeeper,
            workers: { [workers] in workers.submit($0) },
            read: read,
            load: { [service] url, completion in
                service.resource(for: url).refresh { completion(WarmRound.Outcome($0)) }
            },
            log: log
        )
    }
}

extension WarmRound.Outcome {
    fileprivate init(_ outcome: LoadOutcome) {
        switch outcome {
        case .newData(.some): self = .loaded
        case .newData(nil): self = .failed("the content is too large")
        case .notModified: self = .notModified
        case .failure(let error): self = .failed(error.userMessage)
        case .cancelled: self = .failed("the request was cancelled")
        }
    }
}

extension Warming {
    /// Counts rounds and loads.
    func register(in registry: MetricsRegistry) {
        registry.counter("respite_warm_rounds_total", "Rounds of `[[warm]]` that began.") { [self] in statistics.rounds
        }
        registry.counter(
            "respite_warm_skipped_total",
            "Rounds of `[[warm]]` that did not begin: the one before still ran, or the list could not be read."
        ) { [self] in statistics.skipped }
        registry.counter("respite_warm_loads_total", "Loads of `[[warm]]`, failed ones included.") { [self] in
            statistics.loads
        }
        registry.counter("respite_warm_failures_total", "Loads of `[[warm]]` that failed.") { [self] in
            statistics.failures
        }
    }
}
