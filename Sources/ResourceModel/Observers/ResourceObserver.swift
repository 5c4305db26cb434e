public import ResourceCore

/// Learns what happens to a resource: an object that owns itself, or any value as long as an owner lives (S-205).
///
/// Calls come one after another in the order of the events, under no lock: on the service's delivery context, or, for a
/// service without one, on the thread that caused the event or delivers an earlier one. Return soon: what comes behind
/// waits; the resource's state does not.
public protocol ResourceObserver: Sendable {
    /// Something happened; `change.state` is the state after it (S-209).
    func resourceChanged(_ resource: Resource, _ change: ResourceChange)

    /// How far a load has come, between 0 and 1; always with a last 1 before the event that ends the load (S-219).
    func resourceRequestProgress(_ resource: Resource, _ progress: Double)

    /// Observation ended while the observer and the resource still live (S-213).
    func stoppedObserving(_ resource: Resource)

    /// What makes it the same observer as another; nil: each time it is added it is another one (S-210).
    var observerIdentity: ObserverIdentity? { get }
}

extension ResourceObserver {
    public func resourceRequestProgress(_ resource: Resource, _ progress: Double) {}
    public func stoppedObserving(_ resource: Resource) {}
    public var observerIdentity: ObserverIdentity? { nil }
}

extension ResourceObserver where Self: AnyObject {
    /// The object itself.
    public var observerIdentity: ObserverIdentity? { ObserverIdentity(self) }
}

/// An observer made of a closure.
struct ClosureObserver: ResourceObserver {
    let body: @Sendable (Resource, ResourceChange) -> Void

    func resourceChanged(_ resource: Resource, _ change: ResourceChange) { body(resource, change) }
}
