import HTTPCaching
import HTTPCore
package import Outcomes
package import Stores
import Transforms

/// What a resource knows about one of its loads.
package struct LoadRecord: Sendable {
    /// Loads of a resource are numbered in the order they began (S-256).
    package let number: UInt64
    /// Runs the load; the record calls nothing of it.
    package let load: Load
    let cause: LoadCause
    /// The number of purges by tag before it began.
    let purgeCount: UInt64
    /// Set once the head has come.
    package private(set) var received: ReceivedHead?
    /// Began before a purge, wipe or override: it serves requests that have joined, and commits nothing.
    package var isDetached = false
    /// The waiting request that caused it; only this one gets a response that may not be shared.
    private(set) var leader: WaiterID?
    /// Requests that wait for the head, in the order they came.
    private(set) var waiting: TinyArray<WaitingRequest>
    /// Requests that follow the response.
    private(set) var followers = TinyArray<WaiterID>()
    /// Callers that await the end: requests of programs and of administrators.
    package var callers: [any LoadCaller] = []
    /// Whether each request that gets its response assembles parts, so that it may end early.
    var isAssembled = false
    /// After so many bytes the load of a part ends, since other loads bring the rest; nil: at its end.
    var end: Int64?
    /// How long it may continue without interest; nil while there is some.
    var abandonedUntil: MonotonicTime?
    /// The selection key of the request that caused it, once a request with an equal one has joined.
    private var knownSelection: [UInt8]?

    /// - Parameter leader: the waiting request that caused the load; nil if none waits.
    init(_ load: Load, _ cause: LoadCause, leader: WaitingRequest? = nil, purgeCount: UInt64 = .max) {
        self.purgeCount = purgeCount
        number = load.number
        self.load = load
        self.cause = cause
        self.leader = leader?.id
        waiting = leader.map { TinyArray($0) } ?? TinyArray()
    }

    // MARK: Requests

    /// `request` waits for the head; `selection` is its key by the names known at the beginning.
    mutating func join(_ request: WaitingRequest, selection: [UInt8]) {
        knownSelection = selection
        waiting.append(request)
    }

    /// A request follows the response; returns the Cache-Status for it.
    mutating func follow(_ follower: WaiterID, isLeader: Bool) -> CacheOutcome {
        followers.append(follower)
        return outcome(isCollapsed: !isLeader)
    }

    /// The head has come; returns the requests that waited for it.
    mutating func receive(_ head: ReceivedHead) -> Loads.HeadResult {
        received = head
        let result = (cause, leader, isDetached, waiting)
        waiting = TinyArray()
        return result
    }

    /// Takes over the requests of `former`, whose response was of no use.
    mutating func succeed(_ former: LoadRecord) {
        isDetached = former.isDetached
        leader = former.leader
        waiting = former.waiting
        callers = former.callers
    }

    /// Removes a request that has left; nil if it neither waits nor follows here.
    mutating func leave(_ waiter: WaiterID) -> LeaveResult? {
        if let index = followers.firstIndex(of: waiter) {
            followers.remove(at: index)
            return .followed
        }
        guard let index = waiting.firstIndex(where: { $0.id == waiter }) else { return nil }
        if leader == waiter { leader = nil }
        return .waited(waiting.remove(at: index))
    }

    enum LeaveResult { case followed, waited(WaitingRequest) }

    // MARK: Joining and interest

    /// Whether no request may join it before its head has come.
    ///
    /// - Parameter isHitForMiss: whether the resource is in hit-for-miss: its last response could not be shared.
    func isClosed(_ isHitForMiss: Bool) -> Bool { received == nil && (isHitForMiss || cause.plan.isHitForMiss) }

    /// Whether the limit of requests that wait for its head is reached (H-134).
    func isFull(limit: Int) -> Bool { received == nil && waiting.count >= limit }

    /// Whether a program sees it as a load in progress.
    package var isActive: Bool { !isDetached && reportsToObservers }
    package var reportsToObservers: Bool { cause.reportsToObservers }

    /// Whether a load without credentials may use this one: the response is for everybody, not only for the client that
    /// caused it.
    ///
    /// - Parameter anonymous: the partitions of a request without fields.
    package func isJoinable(by anonymous: Partitions) -> Bool {
        isActive && (cause.request.partitions == anonymous || received?.partition == anonymous.common)
    }

    /// Whether any request or caller wants the response.
    var hasInterest: Bool { !waiting.isEmpty || !followers.isEmpty || !callers.isEmpty }

    /// Whether the response may still be stored, as far as is known.
    var mayBeStored: Bool {
        guard let received else { return !isDetached }
        return !isDetached && received.partition != nil && received.response.growing?.isStorable ?? true
    }

    /// The content, if callers await its end and no request reads it.
    var unreadBody: GrowingBody? {
        callers.isEmpty || !waiting.isEmpty || !followers.isEmpty ? nil : received?.response.growing
    }

    /// The selection key of its request, by the names in Vary that were known when it began.
    func selection(_ context: ResourceContext) -> [UInt8] { knownSelection ?? cause.selection(context) }

    /// The Cache-Status for a request that follows the response.
    package func outcome(isCollapsed: Bool) -> CacheOutcome {
        guard let received else {
            return CacheOutcome(
                isHit: false,
                forward: cause.plan.forward,
                isCollapsed: isCollapsed,
                detail: cause.plan.reason
            )
        }
        if load.request.ticket?.hasSharedAnswer == true { return CacheOutcome(isHit: true, detail: "shared") }
        let isStored = received.partition != nil && !isDetached
        return CacheOutcome(
            isHit: false,
            forward: cause.plan.forward,
            forwardStatus: received.receivedStatus ?? (cause.offered.isEmpty ? nil : received.response.status),
            isStored: isStored,
            isCollapsed: isCollapsed,
            detail: received.storability.detail(isStored: isStored) ?? cause.plan.reason
        )
    }
}
