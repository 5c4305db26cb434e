import HTTPCaching
import HTTPCore
import Transforms

/// What a resource knows of one of its loads, whatever brings the result.
///
/// An object, since it is looked at many times for each time it changes.
///
/// `@unchecked Sendable`: what varies is seen only under the lock of the resource whose state holds it.
final class LoadRecord: @unchecked Sendable {
    /// Where the result comes from.
    enum Source: Sendable {
        /// An exchange that clients may follow; brings a `StoredResponse`.
        case exchange(ExchangeCause)
        /// A request of the program's; brings an entity.
        case request(Request)
    }

    /// Loads of a resource are numbered in the order they began (S-256).
    let number: UInt64
    let source: Source
    /// Nobody else waits for its head (C-23.4).
    private let isSolo: Bool
    /// Began before a purge, wipe or override: serves those who have joined and commits nothing.
    var isDetached = false
    // Lists are taken out before they are changed: that costs no dynamic check for exclusive access (ARCHITECTURE).

    /// What callers hold, where that is not the source itself: they learn the result once it is committed.
    var requests: [Request] = []
    /// What callers hold beside the source: it waited for a look-up while the load began.
    private(set) var joined: [Request] = []
    /// Observers hear of its progress.
    var reportsProgress = false
    /// The last progress observers were told of.
    var progress = 0.0
    /// The selection of the request that caused it, once somebody asked whether another one's is the same.
    private var knownSelection: [UInt8]?

    // MARK: Of an exchange

    /// The waiting request that caused it; only it gets a response that may not be shared.
    var leader: ObjectIdentifier?
    /// In the order they came.
    var waiters = TinyArray<Waiter>()
    /// Requests that follow the response.
    private(set) var followers = TinyArray<ObjectIdentifier>()
    /// Set once the head has come.
    var arrival: Arrival?
    /// Until when it may go on although nobody wants it; set while that is so.
    var abandonedUntil: MonotonicTime?

    /// The response of a load, and what may become of it.
    ///
    /// An object like its record, and seen like that under the resource's lock once the record has it.
    final class Arrival {
        let response: LoadedResponse
        private(set) var storability: Storability
        /// Where it is going to be stored; nil if it is not.
        private(set) var partition: Partition?
        /// The selection of its variant.
        let selection: [UInt8]
        /// What a 206 holds; nil for what is whole when it is complete.
        let extent: ContentExtent?
        /// What the origin answered, where that is not what clients get.
        let receivedStatus: UInt16?
        /// By what it was judged.
        let effective: EffectiveConfiguration
        /// The same for the request that caused the load, with what is for that alone; nil: there is nothing.
        let own: LoadedResponse?

        init(
            response: LoadedResponse,
            storability: Storability,
            partition: Partition?,
            selection: [UInt8],
            extent: ContentExtent?,
            receivedStatus: UInt16?,
            effective: EffectiveConfiguration,
            own: LoadedResponse?
        ) {
            self.response = response
            self.storability = storability
            self.partition = partition
            self.selection = selection
            self.extent = extent
            self.receivedStatus = receivedStatus
            self.effective = effective
            self.own = own
        }

        /// It is not going to be stored; `reason`: why, where that is to be told.
        func refuse(_ reason: RefusalReason? = nil) {
            partition = nil
            if let reason { storability = .refuse(reason) }
        }
    }

    init(number: UInt64, source: Source) {
        self.number = number
        self.source = source
        isSolo = if case .exchange(let cause) = source { cause.isSolo } else { false }
    }

    /// Whether nobody may join it before its head has come.
    ///
    /// - Parameter all: so it is with all loads of the resource at present.
    func waitsAlone(_ all: Bool) -> Bool { arrival == nil && (all || isSolo) }

    /// What an exchange was started for; nil for a request of the program's.
    var exchange: ExchangeCause? { if case .exchange(let cause) = source { cause } else { nil } }
    /// The program's request that brings the result; nil for an exchange.
    var sourceRequest: Request? { if case .request(let request) = source { request } else { nil } }

    /// Whether it counts as loading: an exchange until it is detached; a request until it was cancelled, or its result
    /// will not be committed.
    ///
    /// One that has ended by itself counts until its result is committed, so that nobody starts another one in between.
    var isActive: Bool {
        switch source {
        case .exchange(let cause): return !isDetached && cause.reportsToObservers
        case .request(let request):
            guard let result = request.result else { return true }
            return !isDetached && !result.response.isCancellation
        }
    }

    /// Whether observers are told that it begins, how far it comes, and how it ends.
    var reportsToObservers: Bool { exchange?.reportsToObservers ?? true }

    /// Whether `loadIfNeeded` may take it: what it brings is for everybody, not for the client with credentials who caused
    /// it.
    ///
    /// - Parameter plain: the partitions of a request without fields.
    func isJoinable(by plain: Partitions) -> Bool {
        guard !isDetached, isActive else { return false }
        guard let exchange else { return true }
        return exchange.request.partitions == plain || arrival?.partition == plain.common
    }

    /// The requests that are this load for callers.
    var faces: [Request] {
        let first = requests.isEmpty ? sourceRequest.map { [$0] } ?? [] : requests
        return joined.isEmpty ? first : first + joined
    }
    /// Those that this resource completes.
    var completed: [Request] { requests + joined }

    /// Has the load's result given to `request`, too.
    func join(_ request: Request) {
        guard sourceRequest != nil, requests.isEmpty else { return stand(request) }
        var list = joined
        joined = []
        list.append(request)
        joined = list
    }

    /// `request` is this load for its caller, too.
    func stand(_ request: Request) {
        var list = requests
        requests = []
        list.append(request)
        requests = list
    }

    /// `request` joined this load and was cancelled; whether it did.
    func leave(_ request: Request) -> Bool {
        let left = joined.filter { $0 !== request }
        defer { joined = left }
        return left.count < joined.count
    }

    func wait(_ waiter: Waiter) {
        if waiters.isEmpty { return waiters = TinyArray(waiter) }
        var list = waiters
        waiters = []
        list.append(waiter)
        waiters = list
    }

    /// The waiting requests, which wait here no more.
    func takeWaiters() -> TinyArray<Waiter> {
        let taken = waiters
        waiters = TinyArray()
        return taken
    }

    func follow(_ follower: ObjectIdentifier) {
        if followers.isEmpty { return followers = TinyArray(follower) }
        var list = followers
        followers = []
        list.append(follower)
        followers = list
    }

    /// Neither waits nor follows any more; what is to be let go of, if it waited.
    func leave(_ waiter: Waiter) -> Waiter? {
        let key = ObjectIdentifier(waiter)
        if let place = followers.firstIndex(of: key) {
            var list = followers
            followers = []
            list.remove(at: place)
            followers = list
        }
        guard let place = waiters.firstIndex(where: { $0 === waiter }) else { return nil }
        if leader == key { leader = nil }
        var list = takeWaiters()
        defer { waiters = list }
        return list.remove(at: place)
    }

    /// Has the requests that stand for it show its progress.
    func lendProgress() {
        let source: ExchangeLoad.Source =
            switch source {
            case .exchange(let cause): .exchange(cause.load)
            case .request(let request): .request(request)
            }
        for request in requests { request.follow(source) }
    }

    /// Whether anybody wants what it brings.
    var hasInterest: Bool {
        sourceRequest != nil || !waiters.isEmpty || !followers.isEmpty || !requests.isEmpty
    }
    /// Whether what it brings may still get into the store, as far as is known.
    var mayBeStored: Bool {
        guard let arrival else { return !isDetached }
        return !isDetached && arrival.partition != nil && arrival.response.growing?.isStorable ?? true
    }
    /// Whether requests with this selection, by the names that select as far as they were known when it began, may have
    /// what it brings.
    func isSelected(
        by request: Fields,
        _ cause: ExchangeCause,
        _ context: ResourceContext,
        _ memo: inout SelectionMemo
    ) -> Bool {
        let own = knownSelection ?? cause.selection(context)
        knownSelection = own
        return own == memo.selection(cause.vary, request, context)
    }

    /// The content, if somebody waits for its end and nobody reads it.
    var unreadBody: GrowingBody? {
        requests.isEmpty || !waiters.isEmpty || !followers.isEmpty ? nil : arrival?.response.growing
    }
}

/// What a load over an exchange was started for.
///
/// An object, since each event of the load reads it out of the record and hands it on: a copy of a value would retain each
/// member.
final class ExchangeCause: Sendable {
    let load: Load
    /// The request that caused it; its fields and credentials select the variant.
    let request: ClientRequest
    let forward: ForwardReason
    /// The word for why, where `forward` does not say it all.
    let reason: String?
    /// What was held already; nil if nothing.
    private let basis: LoadBasis?
    /// Before its head nobody joins it.
    let isSolo: Bool
    /// Refreshes what was served stale, or was asked for by nobody in particular: never abandoned.
    let isBackground: Bool
    /// Whether the response is kept for `latestResponse` even if no cache may reuse it.
    let isModel: Bool
    /// Brings the part a request asked for: nobody but that request waits for it, and to the model it is no load.
    let isRanged: Bool
    /// It brings what a POST was answered with: nobody joins it, and nobody waits for it (C-9.1).
    let isPost: Bool
    /// The names that select as far as known when it began.
    let vary: VaryNames

    init(
        load: Load,
        request: ClientRequest,
        forward: ForwardReason,
        reason: String? = nil,
        basis: LoadBasis? = nil,
        isSolo: Bool,
        isBackground: Bool,
        isModel: Bool = false,
        isRanged: Bool = false,
        isPost: Bool = false,
        vary: VaryNames
    ) {
        self.load = load
        self.request = request
        self.forward = forward
        self.reason = reason
        self.basis = basis
        self.isSolo = isSolo
        self.isBackground = isBackground
        self.isModel = isModel
        self.isRanged = isRanged
        self.isPost = isPost
        self.vary = vary
    }

    /// The stored responses whose validators were sent, the selected one first.
    var offered: [StoredResponse] { basis?.offered ?? [] }
    /// What of what is held its request selected.
    var selected: StoredResponse? { basis?.selected }
    /// The stored first part whose rest was asked for.
    var prefix: StoredResponse? { basis?.prefix }

    /// The selection of its request by `vary`; computed anew, since most loads end before anybody asks.
    func selection(_ context: ResourceContext) -> [UInt8] {
        ResourceState.selection(vary, request.fields, context)
    }

    /// What one request asked for is no load to observers; new data that it brings is theirs all the same.
    var reportsToObservers: Bool { !isRanged && !isPost }
    /// Looks in the background whether a stored part is still right; the whole is of no use then, unless it is small.
    var refreshesPart: Bool { isBackground && offered.first?.extent != nil }
}
