import HTTPCore
import Observability

/// What a request to the admin API is about.
///
/// `RouteDescription.all` has the paths.
enum AdminRoute: Sendable, Equatable {
    case health, ready, metrics, status, resources, purge, wipe, invalidate, refresh, events, configuration, reload
    case explain, log, mode, tunnels, origins, services, index, document
    case logLines, logStream
    case requests, requestArchive, requestStream
    case request(RequestID)
    case shell, login, logout, sessions, history
    case asset(DashboardFile)
    case resource(ResourceIdentifier)
    case content(ResourceIdentifier)
    case archive(ResourceIdentifier)
    case archiveImport

    /// Whether it is a page without data, which links of other sites may lead to.
    var isPage: Bool { self == .shell || self == .login }
}
