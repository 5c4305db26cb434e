public import ResourceCore

/// Is notified of the events of a resource: an object that owns itself, or any value while an owner exists (S-205).
///
/// Calls come one after another, in the order of the events, under no lock. They run on the service's delivery context.
/// Without one, they run on the thread that caused the event, or delivers an earlier one. Return soon: later calls
/// wait, though the resource's state does not.
public protocol ResourceObserver: Sendable {
    /// Something happened; `change.state` is the state after it (S-209).
    func resourceChanged(_ resource: Resource, _ change: ResourceChange)

    /// The progress of a load, between 0 and 1; the last value is 1, before the event that ends the load (S-219).
    func resourceRequestProgress(_ resource: Resource, _ progress: Double)

    /// Observation ended while the observer and the resource still live (S-213).
    func stoppedObserving(_ resource: Resource)

    /// Equal for observers that are the same; nil: each added observer is a new one (S-210).
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

/// An observer that calls a closure.
struct ClosureObserver: ResourceObserver {
    let body: @Sendable (Resource, ResourceChange) -> Void

    func resourceChanged(_ resource: Resource, _ change: ResourceChange) { body(resource, change) }
}
