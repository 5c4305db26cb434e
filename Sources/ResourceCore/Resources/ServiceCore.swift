package import Configurations
package import Exchanges
package import HTTPCore
import Locking

/// What resources need of their service; it does not keep them in memory.
///
/// The table keeps a resource only while its service is in use. After the program has dropped the service, resources
/// that it still references continue with this object.
package final class ServiceCore: Sendable {
    private struct Use {
        weak var service: Service?
        /// Services that have begun and not ended; two only while one ends and its successor exists.
        var count = 0
    }

    package let name: String
    package let baseURL: TargetURI?
    package let table: ResourceTable
    package let register: ConfigurationRegister
    /// A program's additions; nil: loads run over exchanges.
    package let program: (any ProgramService)?
    /// Calls hooks and observers; nil: the thread that caused the event does.
    package let delivery: (any DeliveryContext)?
    private let provider: Lock<(any ExchangeProvider)?>
    private let use = Lock(Use())
    /// For links, which must not keep the core.
    let reference = WeakCore()

    package init(
        name: String,
        baseURL: TargetURI?,
        configuration: Configuration,
        table: ResourceTable,
        provider: (any ExchangeProvider)?,
        program: (any ProgramService)? = nil,
        delivery: (any DeliveryContext)? = nil
    ) {
        let baseURL = baseURL?.withTrailingSlash
        self.name = name
        self.baseURL = baseURL
        self.table = table
        register = ConfigurationRegister(
            ConfigurationList(defaults: configuration, baseURL: baseURL),
            hasher: table.environment.hasher
        ) { list in table.noteConfigurationChange(hasQueryRules: !list.queryRules.isEmpty) }
        self.provider = Lock(provider)
        self.program = program
        self.delivery = delivery
        reference.set(self)
    }

    /// Whether store or caches may have data from an earlier life of a resource.
    var looksUp: Bool { program != nil || table.environment.store != nil }

    /// The same for the resource of `uri`, before it exists.
    func looksUp(_ uri: TargetURI) -> Bool {
        program != nil || table.environment.store.map { $0.mayHold(uri) } ?? false
    }

    package var defaultProvider: (any ExchangeProvider)? {
        get { provider.withLock { $0 } }
        set { provider.withLock { $0 = newValue } }
    }

    // MARK: Being in use

    /// Whether the table may hold resources of this service.
    var isInUse: Bool { use.withLock { $0.count > 0 } }

    /// The service; a new one if the program has dropped the former.
    var service: (Service, isNew: Bool) {
        // A strong reference leaves the lock before its release: the end of a service locks `use`.
        use.withLock { use in
            if let service = use.service { return (service, false) }
            let service = Service(self)
            use.service = service
            use.count += 1
            return (service, true)
        }
    }

    func didBegin(_ service: Service) {
        use.withLock { use in
            use.service = service
            use.count += 1
        }
    }

    /// A service has ended; with the last one, the table releases its resources.
    func didEndService() {
        let isLast = use.withLock { use in
            use.count -= 1
            return use.count == 0
        }
        if isLast { table.release(of: self) }
    }
}
