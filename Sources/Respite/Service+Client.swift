public import Exchanges
public import ResourceCore
public import ResourceModel

extension Service {
    /// The service of an API, loaded over our own HTTP/1.1 client.
    ///
    /// ```swift
    /// let service = Service(baseURL: "http://api.example.org/v1")
    /// let item = try await service.resource("/items/1").load().entity
    /// ```
    ///
    /// - Parameters:
    ///   - baseURL: where paths begin, text or a value; see `Service.init(baseURL:standardTransformers:networking:)`.
    ///   - standardTransformers: turn content into values, in this order; none: content stays `[UInt8]`.
    ///   - client: sends the requests; its thread starts with the first one, and ends with the service.
    ///   - cache: keeps data for the next start of the program; nil: nothing does.
    ///   - name: for people.
    ///   - delivery: calls hooks and observers in turn, such as `.mainActor`; nil: a context of the service's own.
    public convenience init(
        baseURL: (any URLConvertible)? = nil,
        standardTransformers: [StandardTransformer] = StandardTransformer.all,
        client: HTTPClient = HTTPClient(),
        cache: PersistentCache? = nil,
        name: String = "service",
        delivery: (any DeliveryContext)? = nil
    ) {
        self.init(
            baseURL: baseURL,
            standardTransformers: standardTransformers,
            networking: client,
            name: name,
            delivery: delivery
        )
        guard let cache else { return }
        configure(description: "persistent cache") { $0.pipeline[cache.stage].cacheUsing(cache.cache) }
    }
}
