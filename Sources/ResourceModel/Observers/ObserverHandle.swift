import Locking
import ResourceCore

/// Something that observers are to be told.
struct ObserverNotice: ProgramNotice {
    enum Event: Sendable {
        case change(ResourceChange)
        case progress(Double)
        case stopped

        func tell(_ observer: any ResourceObserver, of resource: Resource) {
            switch self {
            case .change(let change): observer.resourceChanged(resource, change)
            case .progress(let progress): observer.resourceRequestProgress(resource, progress)
            case .stopped: observer.stoppedObserving(resource)
            }
        }
    }

    private let event: Event
    /// Those who observed when it happened (S-216).
    private var observers: [ObserverHandle]

    init(_ event: Event, to observers: [ObserverHandle]) {
        self.event = event
        self.observers = observers
    }

    func deliver(for resource: Resource) { for observer in observers { observer.tell(event, of: resource) } }

    /// Takes out the observers of this identity: they are told elsewhere.
    mutating func take(_ identity: ObserverIdentity) -> [(ObserverHandle, Event)] {
        let own = observers.filter { $0.identity == identity }
        observers.removeAll { $0.identity == identity }
        return own.map { ($0, event) }
    }
}

/// One observer of a resource, for the time of telling it something.
struct ObserverHandle: Sendable {
    let observer: any ResourceObserver
    let introduction: Introduction
    let identity: ObserverIdentity?

    func tell(_ notice: ObserverNotice.Event, of resource: Resource) {
        if introduction.mayPass(notice) { notice.tell(observer, of: resource) }
    }

    /// Tells it that it was added, before it is told anything else (S-207).
    func introduce(_ change: ResourceChange, to resource: Resource) {
        observer.resourceChanged(resource, change)
        while let held = introduction.takeHeld() {
            for notice in held { notice.tell(observer, of: resource) }
        }
    }
}

/// Holds back what an observer is told until it knows that it was added.
final class Introduction: Sendable {
    /// Nil once it was introduced.
    private let held = Lock<[ObserverNotice.Event]?>([])

    /// Whether the observer can be told at once; else the notice is kept for it.
    func mayPass(_ notice: ObserverNotice.Event) -> Bool {
        held.withLock { held in
            held?.append(notice)
            return held == nil
        }
    }

    /// What was kept; nil: nothing, and from now on nothing is.
    func takeHeld() -> [ObserverNotice.Event]? {
        held.withLock { held in
            let notices = held ?? []
            held = notices.isEmpty ? nil : []
            return held == nil ? nil : notices
        }
    }
}
