public import Configurations
package import Exchanges
public import HTTPCore
import Locking
package import Stores

/// The resources of one API, or of everything that belongs to no other: base URL and configuration (S-001).
///
/// Closures configure how resources are loaded and reused. They run in the order they were added, on a copy of the
/// default configuration. Each is for all resources, those of a URL pattern or those of a named part, and for all
/// methods or some (S-038 to S-049). A change takes effect with the next use of each resource: memory is judged anew,
/// nothing is loaded.
///
/// The daemon has **one** service, without base URL. Its settings divide it into named *parts*
/// (`ConfigurationList.bases`, `configurePart`). A URI belongs to the part whose base is its longest prefix. So every
/// route to a URI ends at one Resource with one configuration, and a changed base needs no new object. Rules follow the
/// parts in the list and win. A reload replaces the whole list at once (`reconfigure`).
///
/// When a program drops the service, its resources leave memory, their loads are cancelled and waiting requests fail. A
/// resource that the program still references keeps its data and continues to work.
public final class Service: Sendable {
    package let core: ServiceCore
    private let withoutURL = Lock<Resource?>(nil)

    /// - Parameters:
    ///   - name: for people.
    ///   - baseURL: its path gets a slash at the end if it has none; a query is kept (S-004).
    ///   - configuration: the one that closures begin with.
    ///   - table: holds the resources; several services may share one.
    ///   - provider: runs loads that no client asks for.
    ///   - delivery: calls observers and hooks of requests; nil: the thread that caused the event does.
    package convenience init(
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

    /// A service that replaces one which the program has dropped.
    init(_ core: ServiceCore) { self.core = core }

    deinit { core.didEndService() }

    public var name: String { core.name }
    /// The base of this service's paths; nil if it has absolute URIs only.
    public var baseURL: TargetURI? { core.baseURL }
    package var table: ResourceTable { core.table }

    /// The configuration that closures begin with; a new value takes effect at once.
    package var configuration: Configuration {
        get { core.register.list.defaults }
        set { core.register.change { $0.defaults = newValue } }
    }

    // MARK: Configuring

    /// Changes the configuration that closures begin with; all resources compute theirs anew, as after
    /// `invalidateConfiguration`.
    ///
    /// `change` runs again if another thread changes the list meanwhile.
    package func reconfigureDefaults(_ change: (inout Configuration) -> Void) {
        core.register.change { change(&$0.defaults) }
    }

    /// Replaces the whole list at once: `change` gets one with the present defaults, without closures, rules and parts.
    ///
    /// If it throws, nothing has changed. It runs again if another thread changes the list meanwhile.
    package func reconfigure<E: Error>(_ change: (inout ConfigurationList) throws(E) -> Void) throws(E) {
        try core.register.change { list throws(E) in
            var new = ConfigurationList(defaults: list.defaults, baseURL: baseURL)
            try change(&new)
            list = new
        }
    }

    /// Makes every resource compute its configuration anew, because something that closures read has changed (S-046).
    public func invalidateConfiguration() { core.register.change { _ in } }

    /// The configuration for `uri` and `method`, and its sources; makes no resource.
    public func configuration(for uri: TargetURI, method: Method = .get) -> EffectiveConfiguration {
        core.register.effective(for: uri, method)
    }

    /// Whether a configuration may deny requests or act on them.
    package var actsOnRequests: Bool { core.register.actsOnRequests }

    /// The URI of the resource that `uri` stands for, after query rules; used for requests and look-ups.
    package func identity(of uri: TargetURI, for method: Method = .get) -> TargetURI {
        table.mayHaveQueryRules ? uri.applying(core.register.queryRules, for: method) : uri
    }

    /// Announces a change to other nodes; a change of a URI is also one of the URI that query rules map it to.
    package func announce(_ change: SharedChange) {
        for each in change.all(under: { identity(of: $0) }) { table.environment.store?.announce(each) }
    }

    // MARK: Loading

    /// Runs loads that no client asks for: `load`, `loadIfNeeded`, and refreshes by administrators.
    package var defaultProvider: (any ExchangeProvider)? {
        get { core.defaultProvider }
        set { core.defaultProvider = newValue }
    }

    /// The one live resource of `identity(of: uri)`, made if there is none (S-013).
    public func resource(for uri: TargetURI) -> Resource { table.resource(for: identity(of: uri), of: self) }

    /// The same for a caller that is about to serve a request: the table keeps a new resource from the beginning.
    package func resourceToServe(_ uri: TargetURI) -> Resource {
        // A URI that no rule changes is not copied.
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
