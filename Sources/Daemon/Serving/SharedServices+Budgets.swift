import Administration
import HTTPServer
import Observability
import ResourceCore
import UpstreamClient
import Transforms

extension SharedServices {
    /// What all clients share, each bounded by a setting.
    func budgets(_ log: Logger) -> [BudgetStatistics] {
        let memory = service.table.environment.transforms.memory
        return [
            BudgetStatistics(
                setting: "limits.unfinished-heads",
                used: connectionCounter.heads.used,
                limit: connectionCounter.heads.limit,
                refused: connectionCounter.heads.refused
            ),
            BudgetStatistics(
                setting: "limits.transform-memory",
                used: memory.used,
                limit: memory.limit,
                refused: memory.refused
            ),
            BudgetStatistics(
                setting: "log.queue-size",
                used: log.waitingBytes,
                limit: log.waitingLimit,
                refused: log.lostLines
            ),
        ]
    }

    /// The same for Prometheus.
    func registerBudgets(_ log: Logger, in registry: MetricsRegistry) {
        let (heads, memory, limiter) = (
            connectionCounter.heads, service.table.environment.transforms.memory, self.limiter
        )
        registry.gauge("respite_unfinished_head_bytes", "Bytes of request heads that are not whole.") { heads.used }
        registry.counter("respite_unfinished_head_refused_total", "Requests refused by limits.unfinished-heads.") {
            heads.refused
        }
        registry.gauge("respite_transform_memory_bytes", "Bytes set aside for transformations of whole contents.") {
            memory.used
        }
        registry.counter("respite_transform_memory_refused_total", "Responses refused by limits.transform-memory.") {
            memory.refused
        }
        registry.counter("respite_slow_origins_total", "Responses given up by upstream.minimum-rate.") {
            limiter.slowContents
        }
        registry.counter("respite_log_dropped_lines_total", "Lines of the log that its reader was too slow for.") {
            log.lostLines
        }
        registry.gauge("respite_log_waiting_bytes", "Bytes of lines that wait for the log's reader.") {
            log.waitingBytes
        }
    }
}
