public import Exchanges
public import HTTPCore
import Locking

/// The resources of one API, or of everything that belongs to no other: base URL and configuration (S-001).
///
/// How a resource is loaded and reused is told by closures that run, in the order they were added, on a copy of the default
/// configuration: for all resources, those of a URL pattern, or of a named part; for all methods or some (S-038 to S-049).
/// A change takes effect with the next use of each resource: what is in memory is judged anew, nothing is loaded for it.
///
/// The daemon has **one** service, without base URL. What its settings call services are named *parts* of it
/// (`ConfigurationList.bases`, `configurePart`): a URI belongs to the part whose base is its longest prefix, so that every
/// route to a URI ends at one Resource with one configuration, and a changed base needs no new object. Rules follow the
/// parts in the list and win. A reload replaces the whole list at once (`reconfigure`).
///
/// Keeps what the table holds for it: once a program has dropped it, its resources leave memory, their loads are given up
/// and who waits for them is told so. A resource the program still holds keeps its data and goes on working.
public final class Service: Sendable {
    package let core: ServiceCore
    private let withoutURL = Lock<Resource?>(nil)

    /// - Parameters:
    ///   - name: for people.
    ///   - baseURL: its path gets a slash at the end where it has none; a query is kept (S-004).
    ///   - configuration: what closures begin with.
    ///   - table: holds the resources; several services may share one.
    ///   - provider: where loads run that no client asks for.
    ///   - delivery: where observers are told, and hooks of requests; nil: on the thread that caused it.
    public convenience init(
        name: String,
        baseURL: TargetURI? = nil,
        configuration: Configuration = Configuration(),
        table: ResourceTable,
        provider: (any ExchangeProvider)? = nil,
        delivery: (any DeliveryContext)? = nil
    ) {
        self.init(
            new: ServiceCore(
                name: name,
                baseURL: baseURL,
                configuration: configuration,
                table: table,
                provider: provider,
                delivery: delivery
            )
        )
    }

    /// The first service of a core.
    package init(new core: ServiceCore) {
        self.core = core
        core.didBegin(self)
    }

    /// A service in the place of one that the program has dropped.
    init(_ core: ServiceCore) { self.core = core }

    deinit { core.didEndService() }

    public var name: String { core.name }
    /// Where paths of this service begin; nil for a service of absolute URIs.
    public var baseURL: TargetURI? { core.baseURL }
    public var table: ResourceTable { core.table }

    /// What closures begin with; a new value takes effect at once.
    public var configuration: Configuration {
        get { core.register.list.defaults }
        set { core.register.change { $0.defaults = newValue } }
    }

    // MARK: Configuring

    /// Changes what closures begin with, whoever else changes the list meanwhile; all resources find out their configuration
    /// anew, as after `invalidateConfiguration`.
    ///
    /// `change` may be called once more.
    public func reconfigureDefaults(_ change: (inout Configuration) -> Void) {
        core.register.change { change(&$0.defaults) }
    }

    /// Replaces the whole list at once: `change` gets one without closures, rules and parts, with the present defaults.
    ///
    /// If it throws nothing has changed. It may be called once more if somebody else changes the list meanwhile.
    public func reconfigure<E: Error>(_ change: (inout ConfigurationList) throws(E) -> Void) throws(E) {
        try core.register.change { list throws(E) in
            var new = ConfigurationList(defaults: list.defaults, baseURL: baseURL)
            try change(&new)
            list = new
        }
    }

    /// Has every resource find out its configuration anew: something that closures read has changed (S-046).
    public func invalidateConfiguration() { core.register.change { _ in } }

    /// What is configured for `uri` and `method`, and by what; makes no resource.
    public func configuration(for uri: TargetURI, method: Method = .get) -> EffectiveConfiguration {
        core.register.effective(for: uri, method)
    }

    /// The URI of the resource that `uri` stands for, after the query rules: what goes to the origin and is looked up.
    public func identity(of uri: TargetURI, for method: Method = .get) -> TargetURI {
        table.mayHaveQueryRules ? uri.applying(core.register.queryRules, for: method) : uri
    }

    // MARK: Loading

    /// Where loads run that no client asks for: `load`, `loadIfNeeded`, and refreshes by administrators.
    public var defaultProvider: (any ExchangeProvider)? {
        get { core.defaultProvider }
        set { core.defaultProvider = newValue }
    }

    /// The one live resource of `identity(of: uri)`, made if there is none (S-013).
    public func resource(for uri: TargetURI) -> Resource { table.resource(for: identity(of: uri), of: self) }

    /// The same for a caller that is about to have it serve a request: the table keeps a new one from the beginning, not only
    /// once it loads.
    public func resourceToServe(_ uri: TargetURI) -> Resource {
        // What no rule changes is not copied.
        table.mayHaveQueryRules ? served(identity(of: uri)) : served(uri)
    }

    private func served(_ uri: TargetURI) -> Resource {
        table.resource(for: uri.bytes, of: self, isServed: true) { uri }
    }

    /// The one resource of this service that has no URL.
    package var resourceWithoutURL: Resource {
        withoutURL.withLock { known in
            if let known { return known }
            let made = table.resourceWithoutURL(core)
            known = made
            return made
        }
    }
}
