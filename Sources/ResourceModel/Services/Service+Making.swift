public import Exchanges
public import HTTPCore
public import ResourceCore
import Transforms

extension Service {
    /// A service whose loads are requests that `networking` carries.
    ///
    /// - Parameters:
    ///   - name: for people.
    ///   - baseURL: its path gets a slash at the end where it has none; a query is kept (S-004).
    ///   - configuration: what closures begin with.
    ///   - table: holds the resources; several services may share one.
    ///   - provider: where loads run that no client asks for.
    ///   - networking: carries the requests of a program that uses this service itself.
    ///   - delivery: where hooks and observers are called, one after another; nil: a context of the service's own.
    public convenience init(
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

    /// The service of an API, for a program that uses it itself (S-003 to S-007).
    ///
    /// It has a table of its own with room for 2048 resources (`cachedResourceCountLimit`), and no cache below that:
    /// what is to be kept on disk is told by the configuration (`PipelineStage.cacheUsing(_:)`).
    ///
    /// - Parameters:
    ///   - baseURL: where paths begin, text or a value. Its path gets a slash at the end where it has none; a query is kept.
    ///     Without one, or with text that is none, paths lead to resources that fail; absolute URLs always work.
    ///   - standardTransformers: turn content into values, each one entry of the configuration for all resources and
    ///     methods, in this order. None: content stays `[UInt8]`.
    ///   - networking: carries the requests.
    ///   - name: for people.
    ///   - environment: clocks, and threads for transformers.
    ///   - delivery: where hooks and observers are called, one after another; nil: a context of the service's own.
    public convenience init(
        baseURL: (any URLConvertible)? = nil,
        standardTransformers: [StandardTransformer] = StandardTransformer.all,
        networking: any NetworkingProviderConvertible,
        name: String = "service",
        environment: CoreEnvironment = .program,
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

    /// - Parameter subject: what `text` should be.
    static func warn(ofText text: String, _ subject: String) {
        RespiteLog.log(
            .network,
            "WARNING: no URL, as \(subject) should be: \(String(text.prefix(200)).debugDescription)"
        )
    }
}

extension CoreEnvironment {
    /// What services of programs need: the system's clocks, and nothing that outlives the process.
    public static var program: CoreEnvironment {
        CoreEnvironment(timekeeper: SystemTimekeeper.shared, hasher: SeededHasher())
    }
}

/// Names partitions within one process: its seed is nowhere else, and no name is ever at rest.
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
