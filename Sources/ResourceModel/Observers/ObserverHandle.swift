import Locking
import ResourceCore

/// An event to report to observers.
struct ObserverNotice: ProgramNotice {
    enum Event: Sendable {
        case change(ResourceChange)
        case progress(Double)
        case stopped

        func deliver(to observer: any ResourceObserver, of resource: Resource) {
            switch self {
            case .change(let change): observer.resourceChanged(resource, change)
            case .progress(let progress): observer.resourceRequestProgress(resource, progress)
            case .stopped: observer.stoppedObserving(resource)
            }
        }
    }

    private let event: Event
    /// The observers at the time of the event (S-216).
    private var observers: [ObserverHandle]

    init(_ event: Event, to observers: [ObserverHandle]) {
        self.event = event
        self.observers = observers
    }

    func deliver(for resource: Resource) { for observer in observers { observer.notify(event, of: resource) } }

    /// Removes and returns the observers of this identity: they are notified elsewhere.
    mutating func take(_ identity: ObserverIdentity) -> [(ObserverHandle, Event)] {
        let own = observers.filter { $0.identity == identity }
        observers.removeAll { $0.identity == identity }
        return own.map { ($0, event) }
    }
}

/// One observer of a resource, strongly referenced for one notification.
struct ObserverHandle: Sendable {
    let observer: any ResourceObserver
    let introduction: Introduction
    let identity: ObserverIdentity?

    func notify(_ notice: ObserverNotice.Event, of resource: Resource) {
        if introduction.mayPass(notice) { notice.deliver(to: observer, of: resource) }
    }

    /// Notifies the observer that it was added, before anything else (S-207).
    func introduce(_ change: ResourceChange, to resource: Resource) {
        observer.resourceChanged(resource, change)
        while let pending = introduction.takePending() {
            for notice in pending { notice.deliver(to: observer, of: resource) }
        }
    }
}

/// Holds back notices until an observer knows that it was added.
final class Introduction: Sendable {
    /// Nil once the observer was introduced.
    private let pending = Lock<[ObserverNotice.Event]?>([])

    /// Whether the observer can be notified at once; else the notice is kept for later.
    func mayPass(_ notice: ObserverNotice.Event) -> Bool {
        pending.withLock { pending in
            pending?.append(notice)
            return pending == nil
        }
    }

    /// The kept notices; nil if there are none: from now on none is kept.
    func takePending() -> [ObserverNotice.Event]? {
        pending.withLock { pending in
            let notices = pending ?? []
            pending = notices.isEmpty ? nil : []
            return pending == nil ? nil : notices
        }
    }
}
