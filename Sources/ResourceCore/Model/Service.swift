public import HTTPCore

/// The resources of one API, or of everything that belongs to no other: base URL and configuration (S-001).
///
/// Keeps what the table holds for it: once a program has dropped it, its resources leave memory, their loads are given up
/// and who waits for them is told so. A resource the program still holds keeps its data and goes on working.
public final class Service: Sendable {
    let core: ServiceCore

    /// - Parameter provider: where loads run that no client asks for.
    public init(
        name: String,
        baseURL: TargetURI? = nil,
        configuration: ServiceConfiguration = ServiceConfiguration(),
        table: ResourceTable,
        provider: (any ExchangeProvider)? = nil
    ) {
        core = ServiceCore(
            name: name,
            baseURL: baseURL,
            configuration: configuration,
            table: table,
            provider: provider
        )
        core.didBegin(self)
    }

    /// The face of a core that has lost its former one.
    init(_ core: ServiceCore) { self.core = core }

    deinit { core.didEndService() }

    public var name: String { core.name }
    /// Where paths of this service begin; nil for a service of absolute URIs.
    public var baseURL: TargetURI? { core.baseURL }
    public var table: ResourceTable { core.table }

    /// Read for each decision; a new value takes effect at once.
    public var configuration: ServiceConfiguration {
        get { core.configuration }
        set { core.configuration = newValue }
    }

    /// Where loads run that no client asks for: `load`, `loadIfNeeded`, and refreshes by administrators.
    public var defaultProvider: (any ExchangeProvider)? {
        get { core.defaultProvider }
        set { core.defaultProvider = newValue }
    }

    /// The one live resource of `uri`, made if there is none (S-013).
    public func resource(for uri: TargetURI) -> Resource { table.resource(for: uri, of: self) }
}
