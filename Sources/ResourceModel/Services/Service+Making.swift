package import Configurations
public import Exchanges
package import HTTPCore
public import ResourceCore
import Stores
import Transforms

extension Service {
    /// A service whose loads are requests over `networking`.
    ///
    /// - Parameters:
    ///   - name: for people.
    ///   - baseURL: its path gets a slash at the end if it has none; a query is kept (S-004).
    ///   - configuration: the one that closures begin with.
    ///   - table: holds the resources; several services may share one.
    ///   - provider: runs loads that no client asks for.
    ///   - networking: sends the requests of the program.
    ///   - delivery: calls hooks and observers, one after another, such as `.mainActor`; nil: a context of the
    ///     service's own.
    package convenience init(
        name: String,
        baseURL: TargetURI? = nil,
        configuration: Configuration = Configuration(),
        table: ResourceTable,
        provider: (any ExchangeProvider)? = nil,
        networking: any NetworkingProviderConvertible,
        delivery: (any DeliveryContext)? = nil
    ) {
        self.init(
            new: ServiceCore(
                name: name,
                baseURL: baseURL,
                configuration: configuration,
                table: table,
                provider: provider,
                program: ModelService(networking.networkingProvider),
                delivery: delivery ?? SerialDelivery()
            )
        )
    }

    /// A service for one API, used by the program itself (S-003 to S-007).
    ///
    /// It has a table of its own for 2048 resources (`cachedResourceCountLimit`), and no store. To keep data on disk,
    /// configure caches (`PipelineStage.cacheUsing(_:)`).
    ///
    /// - Parameters:
    ///   - baseURL: where paths begin, as text or a value. Its path gets a slash at the end if it has none; a query is
    ///     kept. Without a valid one, paths lead to resources that fail; absolute URLs always work.
    ///   - standardTransformers: turn content into values; each is one entry of the configuration, for all resources
    ///     and methods, in this order. Without them content stays `[UInt8]`.
    ///   - networking: sends the requests.
    ///   - name: for people.
    ///   - delivery: calls hooks and observers, one after another, such as `.mainActor`; nil: a context of the
    ///     service's own.
    public convenience init(
        baseURL: (any URLConvertible)? = nil,
        standardTransformers: [StandardTransformer] = StandardTransformer.all,
        networking: any NetworkingProviderConvertible,
        name: String = "service",
        delivery: (any DeliveryContext)? = nil
    ) {
        self.init(
            baseURL: baseURL,
            standardTransformers: standardTransformers,
            networking: networking,
            name: name,
            environment: .program,
            delivery: delivery
        )
    }

    /// The same in an environment.
    ///
    /// - Parameter environment: clocks, and threads for transformers.
    package convenience init(
        baseURL: (any URLConvertible)? = nil,
        standardTransformers: [StandardTransformer] = StandardTransformer.all,
        networking: any NetworkingProviderConvertible,
        name: String = "service",
        environment: CoreEnvironment,
        delivery: (any DeliveryContext)? = nil
    ) {
        self.init(
            name: name,
            baseURL: baseURL?.targetURI,
            table: ResourceTable(environment: environment, shardCount: 8, countLimit: 2048),
            networking: networking,
            delivery: delivery
        )
        if let baseURL, baseURL.targetURI == nil { Self.warn(ofText: baseURL.urlText, "the base URL of \(name)") }
        for transformer in standardTransformers {
            configure(description: "standard transformer: \(transformer.name)") { $0.pipeline.add(transformer) }
        }
    }

    /// - Parameter subject: what `text` is used for.
    static func warn(ofText text: String, _ subject: String) {
        RespiteLog.log(
            .network,
            "WARNING: no URL, as \(subject) should be: \(String(text.prefix(200)).debugDescription)"
        )
    }
}

extension CoreEnvironment {
    /// The environment for services of programs: the system's clocks, and no store.
    package static var program: CoreEnvironment {
        CoreEnvironment(timekeeper: SystemTimekeeper.shared, hasher: SeededHasher())
    }
}

/// Names partitions within one process: its seed is nowhere else, and names are never stored.
private final class SeededHasher: PartitionHasher {
    func hash(_ credentials: [UInt8]) -> [UInt8] {
        (0..<4).flatMap { lane in
            var hasher = Hasher()
            hasher.combine(lane)
            hasher.combine(credentials)
            let value = UInt64(truncatingIfNeeded: hasher.finalize())
            return (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
    }
}
