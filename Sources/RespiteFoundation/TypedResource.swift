public import Foundation
public import ResourceCore
public import ResourceModel

/// A resource whose content is a `Value`.
///
/// Content that a transformer has made a `Value` is given as it is. Bytes and values of JSON are decoded here, once for
/// each content: keep the view, since another one decodes again. `Service.configureTransformer(_:decoding:)` decodes
/// once for all.
public struct TypedResource<Value: Decodable & Sendable>: Sendable {
    /// What this is a view of.
    public let resource: Resource
    private let decoded: DecodedContent<Value>

    init(_ resource: Resource, _ decoded: DecodedContent<Value>) {
        self.resource = resource
        self.decoded = decoded
    }

    // MARK: State

    /// What is known now; nil if there is nothing, or it is no `Value`.
    public var latestData: Value? { latestEntity?.content }

    /// What is known now, with its header fields; nil if there is nothing, or it is no `Value`.
    public var latestEntity: Entity<Value>? { resource.latestData.flatMap { try? decoded.typed($0) } }

    /// How the last load failed, or why what is known is no `Value`.
    public var latestError: RequestError? { TypedState(resource.snapshot, decoded).latestError }

    /// Whether the resource loads.
    public var isLoading: Bool { resource.isLoading }

    // MARK: Loading

    /// Loads and waits (S-093); throws why there is no `Value`.
    ///
    /// Cancelling the waiting task does not cancel the load; see `loaded()`.
    public func load() async throws(RequestError) -> Value { try await value(of: resource.load()) }

    /// Loads if what is known is not up to date, and waits for that; gives what is known else (S-087).
    public func loadIfNeeded() async throws(RequestError) -> Value {
        if let request = resource.loadIfNeeded() { return try await value(of: request) }
        guard let entity = resource.latestData else {
            throw resource.latestError ?? RequestError(userMessage: "Nothing to load")
        }
        return try decoded.typed(entity).content
    }

    /// Loads and waits; a load that nobody needs any more ends with its task, as that of `Resource.loaded()`.
    public func loaded() async throws(RequestError) -> Value { try decoded.typed(await resource.loaded()).content }

    /// What is known if it is up to date, else what a load brings, as `Resource.loadedIfNeeded()`.
    public func loadedIfNeeded() async throws(RequestError) -> Value {
        try decoded.typed(await resource.loadedIfNeeded()).content
    }

    private func value(of request: Request) async throws(RequestError) -> Value {
        try decoded.typed(await request.entity).content
    }

    // MARK: Observing

    /// Adds a closure that is called with each event while `owner` exists; it must not keep the owner alive (S-205).
    @discardableResult
    public func addObserver(
        owner: any AnyObject & Sendable,
        _ body: @escaping @Sendable (TypedResource, TypedChange<Value>) -> Void
    ) -> TypedResource {
        resource.addObserver(owner: owner) { [decoded] resource, change in
            body(TypedResource(resource, decoded), TypedChange(change, decoded))
        }
        return self
    }

    /// The same on the main actor; to be called there.
    @MainActor @discardableResult
    public func addMainActorObserver(
        owner: any AnyObject & Sendable,
        _ body: @escaping @MainActor (TypedResource, TypedChange<Value>) -> Void
    ) -> TypedResource {
        resource.addMainActorObserver(owner: owner) { [decoded] resource, change in
            body(TypedResource(resource, decoded), TypedChange(change, decoded))
        }
        return self
    }

    /// Removes `owner` from the observers (S-212).
    public func removeObservers(ownedBy owner: (any AnyObject & Sendable)?) { resource.removeObservers(ownedBy: owner) }

    /// The value that is known, if there is one, and each that replaces it; see `TypedValues`.
    public var values: TypedValues<Value> { TypedValues(resource.events, decoded) }
}

extension Resource {
    /// A view of this resource that gives its content as a `Value`.
    ///
    /// - Parameters:
    ///   - type: what content is decoded as.
    ///   - decoder: makes a decoder; called for each content, on the thread that asks for the value.
    public func typed<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self,
        decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
    ) -> TypedResource<Value> {
        TypedResource(self, DecodedContent(ContentDecoding(decoder)))
    }
}
