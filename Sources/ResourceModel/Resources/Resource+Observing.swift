public import ResourceCore

/// Observers (S-205 to S-219).
extension Resource {
    /// Adds an observer that owns itself; the resource does not keep it.
    ///
    /// It gets `observerAdded` inside this call (S-207); an observer that was added before gets nothing (S-210).
    /// Returns the resource, so that calls can be chained.
    @discardableResult
    public func addObserver(_ observer: some ResourceObserver & AnyObject) -> Resource {
        addObserver(observer, owner: observer)
    }

    /// Adds an object that observes while `owner` exists, or adds a further owner to it (S-210, S-211).
    ///
    /// The resource keeps the observer while that has an owner other than itself; it never keeps an owner.
    @discardableResult
    public func addObserver(
        _ observer: some ResourceObserver & AnyObject,
        owner: any AnyObject & Sendable
    ) -> Resource {
        add { $0.add(object: observer, owner: owner) }
    }

    /// Adds any value that observes while `owner` exists, or adds a further owner to one of the same identity.
    @discardableResult
    public func addObserver(_ observer: some ResourceObserver, owner: any AnyObject & Sendable) -> Resource {
        add { $0.add(value: observer, owner: owner) }
    }

    /// Adds a closure that is called while `owner` exists; the closure must not keep the owner alive.
    @discardableResult
    public func addObserver(
        owner: any AnyObject & Sendable,
        _ body: @escaping @Sendable (Resource, ResourceChange) -> Void
    ) -> Resource {
        addObserver(ClosureObserver(body: body), owner: owner)
    }

    private func add(_ add: (inout ObserverList) -> ObserverHandle?) -> Resource {
        guard let (handle, change, former) = perform({ $0.addObserver(add) }) else { return self }
        // An observer added again first gets the end of its former observation (S-213, S-216).
        for (handle, event) in former { handle.notify(event, of: self) }
        handle.introduce(change, to: self)
        return self
    }

    /// Removes `owner` from the observers; those without another one get `stoppedObserving` (S-212).
    public func removeObservers(ownedBy owner: (any AnyObject & Sendable)?) {
        guard let owner else { return }
        perform { $0.removeObservers(ownedBy: ObjectIdentifier(owner)) }
    }

    /// The events of this resource from now on, each with the state after it; at most 256 wait (S-206).
    public var events: ResourceChanges { ResourceChanges(self, .newest(256)) }

    /// The same, with another buffering.
    public func events(buffering: ResourceChanges.Buffering) -> ResourceChanges { ResourceChanges(self, buffering) }
}
