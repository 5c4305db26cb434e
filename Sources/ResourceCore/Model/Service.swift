public import HTTPCore
import Locking

/// The resources of one API, or of everything that belongs to no other: base URL and configuration (S-001).
public final class Service: Sendable {
    public let name: String
    /// Where paths of this service begin; nil for a service of absolute URIs.
    public let baseURL: TargetURI?
    public let table: ResourceTable
    private let current: Lock<ServiceConfiguration>
    private let provider: Lock<(any ExchangeProvider)?>

    /// - Parameter provider: where loads run that no client asks for.
    public init(
        name: String,
        baseURL: TargetURI? = nil,
        configuration: ServiceConfiguration = ServiceConfiguration(),
        table: ResourceTable,
        provider: (any ExchangeProvider)? = nil
    ) {
        self.name = name
        self.baseURL = baseURL
        self.table = table
        current = Lock(configuration)
        self.provider = Lock(provider)
    }

    /// Read for each decision; a new value takes effect at once.
    public var configuration: ServiceConfiguration {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    /// Where loads run that no client asks for: `load`, `loadIfNeeded`, and refreshes by administrators.
    public var defaultProvider: (any ExchangeProvider)? {
        get { provider.withLock { $0 } }
        set { provider.withLock { $0 = newValue } }
    }

    /// The one live resource of `uri`, made if there is none (S-013).
    public func resource(for uri: TargetURI) -> Resource { table.resource(for: uri, of: self) }
}
