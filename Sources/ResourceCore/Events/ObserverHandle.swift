import Locking

/// What an observer is told.
enum Notice: Sendable {
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

/// One observer of a resource, for the time of telling it something.
struct ObserverHandle: Sendable {
    let observer: any ResourceObserver
    let introduction: Introduction
    let identity: ObserverIdentity?

    func tell(_ notice: Notice, of resource: Resource) {
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
    private let held = Lock<[Notice]?>([])

    /// Whether the observer can be told at once; else the notice is kept for it.
    func mayPass(_ notice: Notice) -> Bool {
        held.withLock { held in
            held?.append(notice)
            return held == nil
        }
    }

    /// What was kept; nil: nothing, and from now on nothing is.
    func takeHeld() -> [Notice]? {
        held.withLock { held in
            let notices = held ?? []
            held = notices.isEmpty ? nil : []
            return held == nil ? nil : notices
        }
    }
}
