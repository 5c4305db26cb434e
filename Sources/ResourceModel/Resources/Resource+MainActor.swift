public import ResourceCore

/// Observers on the main actor; to be called there.
extension Resource {
    /// Adds an observer on the main actor that owns itself; the resource does not keep it (S-210).
    ///
    /// It gets `observerAdded` inside this call (S-207).
    @MainActor @discardableResult
    public func addObserver(_ observer: some MainActorObserver) -> Resource {
        MainActorCalls.shared.whileAdding { addObserver(MainActorObject(observer), owner: observer) }
    }

    /// Adds a closure that is called on the main actor while `owner` exists; it must not keep the owner alive.
    ///
    /// ```swift
    /// resource.addMainActorObserver(owner: self) { [weak self] resource, _ in self?.title = resource.text }
    /// ```
    @MainActor @discardableResult
    public func addMainActorObserver(
        owner: any AnyObject & Sendable,
        _ body: @escaping @MainActor (Resource, ResourceChange) -> Void
    ) -> Resource {
        MainActorCalls.shared.whileAdding { addObserver(MainActorClosure(body), owner: owner) }
    }
}
