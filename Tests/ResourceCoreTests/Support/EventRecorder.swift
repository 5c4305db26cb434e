import ResourceCore
import ResourceModel

/// Notes what an observer is told, with letters for the state shown at it: L while loading, D for data, E for an error.
final class EventRecorder: ResourceObserver {
    let notes = LockedBox<[String]>([])
    let progress = LockedBox<[Double]>([])
    /// The states that came with the events.
    let states = LockedBox<[ResourceSnapshot]>([])

    func resourceChanged(_ resource: Resource, _ change: ResourceChange) {
        let flags = change.state.flags
        notes.change { $0.append(flags.isEmpty ? change.event.text : "\(change.event.text) \(flags)") }
        states.change { $0.append(change.state) }
    }

    func resourceRequestProgress(_ resource: Resource, _ progress: Double) {
        self.progress.change { $0.append(progress) }
        if progress == 1 { notes.change { $0.append("progress 1") } }
    }

    func stoppedObserving(_ resource: Resource) { notes.change { $0.append("stopped") } }

    /// The events without progress.
    var events: [String] { notes.value.filter { $0 != "progress 1" } }
}

/// The same as a value.
struct ValueRecorder: ResourceObserver {
    let events = LockedBox<[String]>([])
    var observerIdentity: ObserverIdentity?

    func resourceChanged(_ resource: Resource, _ change: ResourceChange) {
        events.change { $0.append(change.event.text) }
    }

    func stoppedObserving(_ resource: Resource) { events.change { $0.append("stopped") } }
}

/// Something that owns observers.
final class Owner: Sendable {}
