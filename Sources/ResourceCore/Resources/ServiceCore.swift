package import Exchanges
package import HTTPCore
import Locking

/// What resources need of their service, without a way back to what keeps them in memory.
///
/// The service keeps the table's contents: the table holds a resource strongly only while its service is in use. Once the
/// program has dropped the service, a resource that it still holds goes on by this alone.
package final class ServiceCore: Sendable {
    private struct Use {
        weak var service: Service?
        /// Services that have begun and not ended; more than one only while one ends and its successor is there already.
        var count = 0
    }

    package let name: String
    package let baseURL: TargetURI?
    package let table: ResourceTable
    package let register: ConfigurationRegister
    /// What a program adds; nil: loads run over exchanges.
    package let program: (any ProgramService)?
    /// Where hooks and observers are called; nil: on the thread that caused it.
    package let delivery: (any DeliveryContext)?
    private let provider: Lock<(any ExchangeProvider)?>
    private let use = Lock(Use())
    /// For those who must not keep it.
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
        register = ConfigurationRegister(configuration, baseURL: baseURL, table: table)
        self.provider = Lock(provider)
        self.program = program
        self.delivery = delivery
        reference.set(self)
    }

    /// Whether something may have been kept of a former life of a resource: by the store, or by caches of pipelines.
    var looksUp: Bool { program != nil || table.environment.store != nil }

    /// The same of the resource of `uri`, while there is no such object.
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

    /// The service, or a new one in the place of one that was dropped.
    var service: (Service, isNew: Bool) {
        // What a weak reference gives leaves the lock before it can be released.
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

    /// A service was dropped; with the last one goes what the table holds for it.
    func didEndService() {
        let isLast = use.withLock { use in
            use.count -= 1
            return use.count == 0
        }
        if isLast { table.release(of: self) }
    }
}
