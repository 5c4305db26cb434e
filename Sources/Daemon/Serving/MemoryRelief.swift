import Eventing
import Exchanges
import HTTPCore
import Locking
import Observability
import Platform
import ResourceCore

/// Frees memory under memory pressure, as SIGUSR1 does; the store keeps its copies (S-017, S-018).
final class MemoryRelief: Sendable {
    private let service: Service
    private let used: @Sendable () -> Int
    private let log: Logger
    private let count: Counter
    /// When this was logged last.
    private let loggedAt = Lock<MonotonicTime?>(nil)

    /// - Parameter used: returns the bytes of stored responses in memory.
    init(_ service: Service, used: @escaping @Sendable () -> Int, registry: MetricsRegistry, log: Logger) {
        self.service = service
        self.used = used
        self.log = log
        count = registry.counter("respite_memory_pressure_total", "How often memory was freed under memory pressure.")
    }

    /// Starts to watch memory pressure; nil if that is disabled, or impossible, which is logged once.
    func watch(environment: [String: String], groups: String) -> PressureWatch? {
        let sources = PressureSource.candidates(environment: environment, groups: groups)
        var reasons: [String] = []
        for source in sources {
            do throws(SystemError) {
                let watch = try PressureWatch(source, { [self] in relieve() }, lost: { [log] in Self.logLost(log) })
                log.info("memory pressure is watched", ["file": source.path])
                return watch
            } catch {
                reasons.append("\(error)")
            }
        }
        if !sources.isEmpty {
            log.info("memory pressure is not watched", ["reason": reasons.joined(separator: "; ")])
        }
        return nil
    }

    private static func logLost(_ log: Logger) { log.warning("memory pressure is not watched any more") }

    /// Removes unused responses from memory.
    func relieve() {
        let before = used()
        service.table.flushUnused()
        let freed = max(0, before - used())
        ProcessMemory.trim()
        count.add()
        let now = service.table.environment.timekeeper.now
        let logs = loggedAt.withLock { loggedAt in
            if let loggedAt, now - loggedAt < .seconds(60) { return false }
            loggedAt = now
            return true
        }
        if logs { log.warning("memory pressure: unused responses were removed from memory", ["freed": freed]) }
    }
}
