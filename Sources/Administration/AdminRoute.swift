import HTTPCore
import Observability

/// The routes of the admin API.
enum AdminRoute: Equatable {
    case health, ready, metrics, status, resources, purge, wipe, invalidate, refresh, events, configuration, reload
    case explain, log, mode, tunnels
    case requests, requestStream
    case request(RequestID)
    case shell, login, logout, sessions, history
    case asset(DashboardFile)
    case resource(ResourceIdentifier)
    case content(ResourceIdentifier)

    /// Returns nil if there is nothing at `path`.
    ///
    /// - Parameter path: without the query.
    init?(path: String) {
        switch path {
        case "/healthz": self = .health
        case "/readyz": self = .ready
        case "/metrics": self = .metrics
        case "/v1/status": self = .status
        case "/v1/resources": self = .resources
        case "/v1/purge": self = .purge
        case "/v1/wipe": self = .wipe
        case "/v1/invalidate": self = .invalidate
        case "/v1/refresh": self = .refresh
        case "/v1/events": self = .events
        case "/v1/config": self = .configuration
        case "/v1/reload": self = .reload
        case "/v1/explain": self = .explain
        case "/v1/log": self = .log
        case "/v1/mode": self = .mode
        case "/v1/tunnels": self = .tunnels
        case "/v1/requests": self = .requests
        case "/v1/requests/stream": self = .requestStream
        case "/": self = .shell
        case "/login": self = .login
        case "/logout": self = .logout
        case "/v1/sessions": self = .sessions
        case "/v1/history": self = .history
        case let path where path.hasPrefix("/assets/"):
            guard let file = DashboardFile.asset(String(path.dropFirst(8))) else { return nil }
            self = .asset(file)
        default:
            if path.hasPrefix("/v1/requests/") {
                guard let id = RequestID(text: String(path.dropFirst(13))) else { return nil }
                self = .request(id)
                return
            }
            guard path.hasPrefix("/v1/resources/") else { return nil }
            let parts = path.dropFirst(14).split(separator: "/", omittingEmptySubsequences: false)
            guard let first = parts.first, let id = ResourceIdentifier(text: String(first)) else { return nil }
            switch parts.dropFirst() {
            case []: self = .resource(id)
            case ["body"]: self = .content(id)
            default: return nil
            }
        }
    }

    /// The token that a request needs.
    ///
    /// The read token shows neither content nor settings: either may have secrets in it.
    func tokenNeed(_ method: Method) -> TokenNeed {
        switch self {
        case .health, .ready: .none
        case .requests, .request, .requestStream: .reading
        case .shell, .login, .asset: .none
        case .history, .logout: .reading
        case .sessions: method == .post ? .all : .reading
        case .metrics, .status, .resources, .resource, .events, .explain, .log, .mode, .tunnels:
            method == .get || method == .head ? .reading : .all
        case .purge, .wipe, .invalidate, .refresh, .reload, .configuration, .content: .all
        }
    }

    /// The methods of this route, in the order of `Allow` (H-145).
    var methods: [Method] {
        switch self {
        case .purge, .wipe, .invalidate, .refresh, .reload, .logout: [.post]
        case .login, .sessions: [.get, .head, .post]
        case .resources, .resource: [.get, .head, .put, .patch]
        case .log, .mode: [.get, .head, .put]
        default: [.get, .head]
        }
    }

    /// Whether it is a page without data, which links of other sites may lead to.
    var isPage: Bool { self == .shell || self == .login }

    /// Parameters that may be repeated.
    var repeatedParameters: [String] { self == .explain ? ["header"] : [] }

    /// The names of the query's parameters.
    func parameters(of method: Method) -> [String] {
        switch self {
        case .resources where method == .put || method == .patch: ["uri"] + OverrideRequest.Terms.parameters(of: method)
        case .resource where method == .put || method == .patch: OverrideRequest.Terms.parameters(of: method)
        case .resources: ["filter", "limit", "cursor", "uri"]
        case .content: ["variant"]
        case .tunnels: ["limit"]
        case .requests: ["filter", "limit", "cursor"]
        case .requestStream: ["filter", "last"]
        case .events: ["filter", "uri"]
        case .configuration: ["url", "method"]
        case .explain: ["url", "header", "method"]
        default: []
        }
    }
}
