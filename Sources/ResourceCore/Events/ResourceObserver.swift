/// Learns what happens to a resource.
///
/// Calls come one after another in the order of the events, under no lock, on the thread that caused the event or delivers
/// an earlier one: hop to a context of your own where that matters, and return soon.
public protocol ResourceObserver: AnyObject, Sendable {
    func resourceChanged(_ resource: Resource, _ change: ResourceChange)
    /// Observation ended while the observer and the resource still live (S-213).
    func stoppedObserving(_ resource: Resource)
}

extension ResourceObserver {
    public func stoppedObserving(_ resource: Resource) {}
}

/// An observer made of a closure.
final class ClosureObserver: ResourceObserver {
    private let body: @Sendable (Resource, ResourceChange) -> Void

    init(_ body: @escaping @Sendable (Resource, ResourceChange) -> Void) { self.body = body }

    func resourceChanged(_ resource: Resource, _ change: ResourceChange) { body(resource, change) }
}
