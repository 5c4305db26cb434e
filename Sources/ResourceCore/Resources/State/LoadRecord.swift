import HTTPCaching
import HTTPCore
import Transforms

/// What a resource knows of one of its loads.
package struct LoadRecord: Sendable {
    /// Loads of a resource are numbered in the order they began (S-256).
    package let number: UInt64
    /// Runs it; nothing here asks it anything.
    package let load: Load
    let cause: LoadCause
    /// Set once the head has come.
    package private(set) var received: ReceivedHead?
    /// Began before a purge, wipe or override: it serves those who have joined, and commits nothing.
    package var isDetached = false
    /// The waiting request that caused it; only that one gets a response that may not be shared.
    private(set) var leader: WaiterID?
    /// Requests that wait for the head, in the order they came.
    private(set) var waiting: TinyArray<WaitingRequest>
    /// Requests that follow the response.
    private(set) var followers = TinyArray<WaiterID>()
    /// Who else awaits the end: requests of programs and of administrators.
    package var callers: [any LoadCaller] = []
    /// Until when it may go on although nobody wants it; set while that is so.
    var abandonedUntil: MonotonicTime?
    /// The selection of the request that caused it, once a request with an equal one has joined.
    private var knownSelection: [UInt8]?

    /// - Parameter leader: the waiting request that caused the load; nil if none waits.
    init(_ load: Load, _ cause: LoadCause, leader: WaitingRequest? = nil) {
        number = load.number
        self.load = load
        self.cause = cause
        self.leader = leader?.id
        waiting = leader.map { TinyArray($0) } ?? TinyArray()
    }

    // MARK: Requests

    /// `request`, whose selection by the names known at the beginning is `selection`, waits for the head.
    mutating func join(_ request: WaitingRequest, selection: [UInt8]) {
        knownSelection = selection
        waiting.append(request)
    }

    /// A request follows the response; the words of Cache-Status for it.
    mutating func follow(_ follower: WaiterID, isLeader: Bool) -> CacheOutcome {
        followers.append(follower)
        return outcome(isCollapsed: !isLeader)
    }

    /// The head has come; those who waited for it wait here no more.
    mutating func receive(_ head: ReceivedHead) -> Loads.HeadResult {
        received = head
        let result = (cause, leader, isDetached, waiting)
        waiting = TinyArray()
        return result
    }

    /// Goes on for the requests of `former`, whose response was of no use.
    mutating func succeed(_ former: LoadRecord) {
        isDetached = former.isDetached
        leader = former.leader
        waiting = former.waiting
        callers = former.callers
    }

    /// What is to be released of a request that has left; nil if it neither waits nor follows here.
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

    // MARK: What it is good for

    /// Whether nobody may join it before its head has come.
    ///
    /// - Parameter all: so it is with all loads of the resource at present: the last response was one that nobody may share.
    func isClosed(_ all: Bool) -> Bool { received == nil && (all || cause.isHitForMiss) }

    /// Whether as many wait for its head as may (H-134).
    func isFull(limit: Int) -> Bool { received == nil && waiting.count >= limit }

    /// Whether a program sees it as a load under way.
    package var isActive: Bool { !isDetached && reportsToObservers }
    package var reportsToObservers: Bool { cause.reportsToObservers }

    /// Whether a load for nobody in particular may be this one: what it brings is for everybody, not for the client with
    /// credentials that caused it.
    ///
    /// - Parameter anonymous: the partitions of a request without fields.
    package func isJoinable(by anonymous: Partitions) -> Bool {
        isActive && (cause.request.partitions == anonymous || received?.partition == anonymous.common)
    }

    /// Whether anybody wants what it brings.
    var hasInterest: Bool { !waiting.isEmpty || !followers.isEmpty || !callers.isEmpty }

    /// Whether what it brings may still get into the store, as far as is known.
    var mayBeStored: Bool {
        guard let received else { return !isDetached }
        return !isDetached && received.partition != nil && received.response.growing?.isStorable ?? true
    }

    /// The content, if somebody waits for its end and nobody reads it.
    var unreadBody: GrowingBody? {
        callers.isEmpty || !waiting.isEmpty || !followers.isEmpty ? nil : received?.response.growing
    }

    /// The selection of its request, by the names that select as far as they were known when it began.
    func selection(_ context: ResourceContext) -> [UInt8] { knownSelection ?? cause.selection(context) }

    /// The words of Cache-Status for a request that follows the response.
    package func outcome(isCollapsed: Bool) -> CacheOutcome {
        var outcome = CacheOutcome(
            isHit: false,
            forward: cause.forward,
            isCollapsed: isCollapsed,
            detail: cause.reason
        )
        guard let received else { return outcome }
        outcome.isStored = received.partition != nil && !isDetached
        if !cause.offered.isEmpty { outcome.forwardStatus = received.response.status }
        if let status = received.receivedStatus { outcome.forwardStatus = status }
        switch received.storability {
        case .refuse(let reason): outcome.detail = reason.rawValue
        case .store(_, .cacheEven) where outcome.isStored: outcome.detail = StoringReason.cacheEven.rawValue
        case .store: break
        }
        return outcome
    }
}

/// A request of a client's that waits.
struct WaitingRequest: Sendable {
    /// Gets the result; nothing here asks it anything, but which request it stands for.
    let waiter: Waiter
    /// How often it was sent from one load to another.
    var moves = 0

    /// So many moves, and it gets a load of its own: no origin keeps a request going round.
    static let moveLimit = 3

    var id: WaiterID { ObjectIdentifier(waiter) }
    var request: ClientRequest { waiter.request }
}

/// Tells waiters apart.
typealias WaiterID = ObjectIdentifier
