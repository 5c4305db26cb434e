import Administration
import HTTPServer
import Observability
import ResourceCore
import UpstreamClient
import Transforms

extension SharedServices {
    /// Resources that all clients share, each limited by a setting.
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

    /// Registers their metrics.
    func registerBudgets(_ log: Logger, in registry: MetricsRegistry) {
        let (heads, memory, limiter) = (
            connectionCounter.heads, service.table.environment.transforms.memory, self.limiter
        )
        registry.gauge("respite_unfinished_head_bytes", "Bytes of incomplete request heads.") { heads.used }
        registry.counter("respite_unfinished_head_refused_total", "Requests refused by limits.unfinished-heads.") {
            heads.refused
        }
        registry.gauge("respite_transform_memory_bytes", "Bytes reserved for transformations of whole contents.") {
            memory.used
        }
        registry.counter("respite_transform_memory_refused_total", "Responses refused by limits.transform-memory.") {
            memory.refused
        }
        registry.counter("respite_slow_origins_total", "Responses cut off by upstream.minimum-rate.") {
            limiter.slowContents
        }
        registry.counter("respite_log_dropped_lines_total", "Log lines dropped because their reader was too slow.") {
            log.lostLines
        }
        registry.gauge("respite_log_waiting_bytes", "Bytes of log lines that wait for their reader.") {
            log.waitingBytes
        }
    }
}
