import Administration
import Configurations
import Locking
import Observability
import Settings

/// The modes in force: those of the settings, or what administrators have chosen since (C-25.2).
///
/// A choice applies until the next choice, or until a reload finds another mode in the settings.
final class ModeRegistry: Sendable {
    private struct State {
        var configured: [String?: ServiceMode] = [:]
        var chosen: [String?: ServiceMode] = [:]
        var services: [String] = []

        func mode(of name: String?) -> ServiceMode? { chosen[name] ?? configured[name] }
    }

    private let state: Lock<State>

    init(_ settings: DaemonSettings) {
        state = Lock(State())
        adopt(settings)
    }

    /// Adopts the modes of reloaded settings.
    func adopt(_ settings: DaemonSettings) {
        var configured: [String?: ServiceMode] = [nil: settings.mode.serviceMode]
        for service in settings.services {
            if let mode = service.mode { configured[service.name] = mode.serviceMode }
        }
        state.withLock { state in
            let (old, services) = (state.configured, settings.services.map(\.name))
            state.chosen = state.chosen.filter { name, _ in
                old[name] == configured[name] && (name.map { services.contains($0) } ?? true)
            }
            state.configured = configured
            state.services = services
        }
    }

    /// The mode of all requests but those to a service with a mode of its own.
    var general: ServiceMode { state.withLock { $0.mode(of: nil) ?? .auto } }

    /// The service's own mode, if it has one.
    func mode(of service: String) -> ServiceMode? { state.withLock { $0.mode(of: service) } }

    /// All services, each with its own mode if it has one, in the order of the settings.
    var services: [(name: String, mode: ServiceMode?)] {
        state.withLock { state in state.services.map { ($0, state.mode(of: $0)) } }
    }

    /// Sets the mode that an administrator chose; returns false if there is no such service.
    func choose(_ mode: ServiceMode, of service: String?) -> Bool {
        state.withLock { state in
            if let service, !state.services.contains(service) { return false }
            state.chosen[service] = mode
            return true
        }
    }
}

extension OperatingMode {
    var serviceMode: ServiceMode {
        switch self {
        case .online: .online
        case .auto: .auto
        case .offline: .offline
        case .replay: .replay
        }
    }
}
