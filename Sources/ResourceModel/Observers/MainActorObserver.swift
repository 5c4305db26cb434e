public import ResourceCore

/// An object on the main actor that observes a resource; see `ResourceObserver`.
///
/// `Resource.addObserver(_:)` adds it. With the delivery `.mainActor` it is called as any observer of the service. With
/// another one, its calls go on to the main actor, in their order, while the service continues.
@MainActor public protocol MainActorObserver: AnyObject, Sendable {
    /// Something happened; `change.state` is the state after it (S-209).
    func resourceChanged(_ resource: Resource, _ change: ResourceChange)

    /// The progress of a load, between 0 and 1 (S-219).
    func resourceRequestProgress(_ resource: Resource, _ progress: Double)

    /// Observation ended while the observer and the resource still live (S-213).
    func stoppedObserving(_ resource: Resource)
}

extension MainActorObserver {
    public func resourceRequestProgress(_ resource: Resource, _ progress: Double) {}
    public func stoppedObserving(_ resource: Resource) {}
}

/// Calls an object on the main actor; does not keep it.
struct MainActorObject: ResourceObserver {
    private weak var object: (any MainActorObserver)?
    private let identity: ObjectIdentifier

    init(_ object: any MainActorObserver) {
        self.object = object
        identity = ObjectIdentifier(object)
    }

    var observerIdentity: ObserverIdentity? { ObserverIdentity(identity) }

    func resourceChanged(_ resource: Resource, _ change: ResourceChange) {
        call { $0.resourceChanged(resource, change) }
    }

    func resourceRequestProgress(_ resource: Resource, _ progress: Double) {
        call { $0.resourceRequestProgress(resource, progress) }
    }

    func stoppedObserving(_ resource: Resource) { call { $0.stoppedObserving(resource) } }

    private func call(_ body: @escaping @MainActor (any MainActorObserver) -> Void) {
        guard let object else { return }
        MainActorCalls.shared.perform(for: identity) { body(object) }
    }
}

/// Calls a closure on the main actor.
final class MainActorClosure: ResourceObserver {
    private let body: @MainActor (Resource, ResourceChange) -> Void

    init(_ body: @escaping @MainActor (Resource, ResourceChange) -> Void) { self.body = body }

    func resourceChanged(_ resource: Resource, _ change: ResourceChange) {
        MainActorCalls.shared.perform(for: ObjectIdentifier(self)) { self.body(resource, change) }
    }
}
