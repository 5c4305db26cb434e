public import ResourceCore

/// Observers (S-205 to S-219).
extension Resource {
    /// Adds an observer that owns itself: it is held weakly.
    ///
    /// It gets `observerAdded` inside this call (S-207); an observer that is there already gets nothing (S-210). Returns the
    /// resource, for the next observer.
    @discardableResult
    public func addObserver(_ observer: some ResourceObserver & AnyObject) -> Resource {
        addObserver(observer, owner: observer)
    }

    /// Adds an object that observes as long as `owner` lives, or gives it a further owner (S-210, S-211).
    ///
    /// The resource keeps the observer while it has an owner other than itself, and no owner.
    @discardableResult
    public func addObserver(
        _ observer: some ResourceObserver & AnyObject,
        owner: any AnyObject & Sendable
    ) -> Resource {
        add { $0.add(object: observer, owner: owner) }
    }

    /// Adds any value that observes as long as `owner` lives, or gives one of the same identity a further owner.
    @discardableResult
    public func addObserver(_ observer: some ResourceObserver, owner: any AnyObject & Sendable) -> Resource {
        add { $0.add(value: observer, owner: owner) }
    }

    /// Adds a closure that is called as long as `owner` lives; it must not keep the owner alive itself.
    @discardableResult
    public func addObserver(
        owner: any AnyObject & Sendable,
        _ body: @escaping @Sendable (Resource, ResourceChange) -> Void
    ) -> Resource {
        addObserver(ClosureObserver(body: body), owner: owner)
    }

    private func add(_ add: (inout ObserverList) -> ObserverHandle?) -> Resource {
        guard let (handle, change, former) = perform({ $0.addObserver(add) }) else { return self }
        // One that comes back learns first how its former observation ended (S-213, S-216).
        for (handle, event) in former { handle.tell(event, of: self) }
        handle.introduce(change, to: self)
        return self
    }

    /// Takes `owner` from the observers; those without another get `stoppedObserving` (S-212).
    public func removeObservers(ownedBy owner: (any AnyObject & Sendable)?) {
        guard let owner else { return }
        perform { $0.removeObservers(ownedBy: ObjectIdentifier(owner)) }
    }

    /// What happens to this resource from now on, each event with the state after it; at most 256 wait (S-206).
    public var events: ResourceChanges { ResourceChanges(self, .newest(256)) }

    /// The same with another bound.
    public func events(buffering: ResourceChanges.Buffering) -> ResourceChanges { ResourceChanges(self, buffering) }
}
