import Logins
import Observability

extension LoginQueue {
    /// Counts the work of logins.
    func register(in registry: MetricsRegistry) {
        registry.counter("respite_login_hashes_total", "Passwords of proxy logins that were hashed.") { [self] in
            statistics.hashes
        }
        registry.counter("respite_login_failures_total", "Proxy logins that were wrong.") { [self] in statistics.wrong }
        registry.counter(
            "respite_login_refused_total",
            "Proxy logins that were not checked because too many were waiting."
        ) { [self] in statistics.refused }
    }
}
