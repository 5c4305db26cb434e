package import TestDoubles
package import ResourceCore
package import ResourceModel

/// Notes what an observer is told, with letters for the state shown at it: L while loading, D for data, E for an error.
package final class EventRecorder: ResourceObserver {
    package let notes = LockedBox<[String]>([])
    package let progress = LockedBox<[Double]>([])
    /// The states that came with the events.
    package let states = LockedBox<[ResourceSnapshot]>([])

    package init() {}

    package func resourceChanged(_ resource: Resource, _ change: ResourceChange) {
        let flags = change.state.flags
        notes.change { $0.append(flags.isEmpty ? change.event.text : "\(change.event.text) \(flags)") }
        states.change { $0.append(change.state) }
    }

    package func resourceRequestProgress(_ resource: Resource, _ progress: Double) {
        self.progress.change { $0.append(progress) }
        if progress == 1 { notes.change { $0.append("progress 1") } }
    }

    package func stoppedObserving(_ resource: Resource) { notes.change { $0.append("stopped") } }

    /// The events without progress.
    package var events: [String] { notes.value.filter { $0 != "progress 1" } }
}

/// The same as a value.
package struct ValueRecorder: ResourceObserver {
    package let events = LockedBox<[String]>([])
    package var observerIdentity: ObserverIdentity?

    package init(observerIdentity: ObserverIdentity? = nil) { self.observerIdentity = observerIdentity }

    package func resourceChanged(_ resource: Resource, _ change: ResourceChange) {
        events.change { $0.append(change.event.text) }
    }

    package func stoppedObserving(_ resource: Resource) { events.change { $0.append("stopped") } }
}

/// Something that owns observers.
package final class Owner: Sendable {
    package init() {}
}
