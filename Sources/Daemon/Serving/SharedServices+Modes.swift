import Administration
import Observability
import ResourceCore
import Settings

extension SharedServices {
    /// Shows and changes modes for the admin API.
    func modeSource(_ log: Logger) -> ModeSource {
        ModeSource(
            general: { modes.general },
            services: { modes.services },
            choose: { mode, name in
                guard modes.choose(mode, of: name) else { return false }
                service.reconfigureDefaults { $0.mode = modes.general }
                log.info("mode changed", ["mode": mode.rawValue, "service": name ?? "-"])
                return true
            }
        )
    }
}
