import HTTPCaching
import ResourceCore

/// The program's half of a resource: its requests and loads, its observers, and its own data.
///
/// A value without locks, clocks and callbacks. It knows requests by identity; events report what happens to them.
struct ModelState: ProgramState {
    /// A load that a request of the program brings.
    struct RequestLoad: Sendable {
        enum End: Sendable { case completed, cancelled }

        /// Loads of a resource are numbered in the order they began (S-256).
        let number: UInt64
        /// The request that brings the result.
        let source: Request
        /// Requests that callers have in its place: they complete once the resource has the result.
        var requests: [Request] = []
        /// Requests that callers have beside it: they waited for a look-up when the load began.
        var joined: [Request] = []
        /// Whether it began before a purge, wipe or override: its result changes nothing.
        var isDetached = false
        /// How the source has ended, while the resource does not have its result.
        var end: End?

        /// Requests that callers have for this load.
        ///
        /// They complete when the load does.
        var visible: [Request] { (requests.isEmpty ? [source] : requests) + joined }
        /// The requests that the resource completes.
        var completed: [Request] { requests + joined }

        /// Whether it counts as loading: until it is cancelled, or its result can no longer become the resource's.
        ///
        /// If it ended by itself, it counts until the resource has the result, so that no other load begins in between.
        var isActive: Bool {
            switch end {
            case nil: true
            case .completed: !isDetached
            case .cancelled: false
            }
        }

        /// Whether `loadIfNeeded` may return it.
        var isJoinable: Bool { !isDetached && isActive }
    }

    private struct ProgressReport: Sendable {
        /// Whether further progress is reported to observers.
        var isWatched: Bool
        /// The last value that they got.
        var last: Double
    }

    /// The text that the program gave instead of a URL, for a resource without URL (S-011).
    var givenText: String?
    /// Data from the program's own requests, caches or changes.
    private(set) var entity: ModelEntity?
    /// In the order they began.
    private(set) var loads: [RequestLoad] = []
    /// Numbers of loads that have not begun, with the result if that came already.
    private var reserved: [UInt64: ResponseInfo?] = [:]
    /// The newest of the program's loads whose result became the data (S-256).
    private var lastAccepted: UInt64 = 0
    /// The request of `loadIfNeeded` that waits for the look-up.
    var lookUpRequest: Request?
    /// The requests of the resource that have not completed, in the order they began.
    private(set) var tracked: [Request] = []
    private(set) var observers = ObserverList()
    /// The progress that observers know of loads, by the loads' numbers.
    private var progress: [UInt64: ProgressReport] = [:]

    // MARK: What it is

    var data: (any ProgramData)? { entity }
    var isObserved: Bool { !observers.isEmpty }
    var awaitsLookUp: Bool { lookUpRequest != nil }
    var isLoading: Bool { lookUpRequest != nil || loads.contains(where: \.isActive) }
    var isInUse: Bool { !loads.isEmpty || !tracked.isEmpty || lookUpRequest != nil || isObserved }
    var isEmpty: Bool {
        !isInUse && entity == nil && givenText == nil && reserved.isEmpty && lastAccepted == 0
    }

    var newestLoad: (number: UInt64, source: any ProgressSource)? {
        loads.last(where: \.isJoinable).map { ($0.number, $0.source) }
    }

    // MARK: Data

    mutating func dropData() { entity = nil }

    mutating func replaceData(by new: ModelEntity) { entity = new }

    /// A load has brought `new`; returns false if that is older than the present data (S-256).
    mutating func accept(_ new: ModelEntity) -> Bool {
        guard new.number > lastAccepted || isLater(new) else { return false }
        lastAccepted = max(lastAccepted, new.number)
        entity = new
        return true
    }

    /// Whether the origin's own Date of `new` is later than that of the present data (S-107).
    private func isLater(_ new: ModelEntity) -> Bool {
        guard let new = new.metadata, let old = entity?.metadata, new.hasDate, old.hasDate else { return false }
        return new.date > old.date
    }

    /// A load has confirmed the present data, with `new` as result.
    mutating func confirm(_ new: ModelEntity) {
        lastAccepted = max(lastAccepted, new.number)
        entity = new
    }

    /// Whether there is the result of a newer load.
    func isSuperseded(_ number: UInt64) -> Bool { number < lastAccepted }

    // MARK: Requests

    /// `request` belongs to the resource until it completes (S-073).
    mutating func track(_ request: Request) {
        if !tracked.contains(where: { $0 === request }) { tracked.append(request) }
    }

    /// `request` has completed; it is still tracked while it counts as a load.
    mutating func untrack(_ request: Request) {
        if loads.contains(where: { load in load.isActive && load.visible.contains { $0 === request } }) { return }
        tracked.removeAll { $0 === request }
    }

    /// The active load requests in the order they began, with those for exchanges (S-074).
    ///
    /// - Parameter exchanges: active loads over exchanges, with the requests that await them.
    func loadRequests(_ exchanges: [(number: UInt64, requests: [Request])]) -> [Request] {
        var all = exchanges
        all += loads.filter(\.isActive).map { ($0.number, $0.visible) }
        all.sort { $0.number < $1.number }
        return (lookUpRequest.map { [$0] } ?? []) + all.flatMap(\.requests)
    }

    // MARK: Loads

    /// Reserves `number` for a load whose request does not exist yet: decorators run first.
    mutating func reserve(_ number: UInt64) { reserved[number] = .some(nil) }

    /// The load for which `number` was reserved is not needed.
    mutating func discard(_ number: UInt64) { reserved[number] = nil }

    /// Begins the load for which `number` was reserved.
    ///
    /// - Parameters:
    ///   - caller: the request that the caller has, if it is not `request` itself.
    ///   - isCancelled: whether `request` was cancelled before the load began.
    /// - Returns: the result, if that came first.
    mutating func begin(_ number: UInt64, _ request: Request, for caller: Request?, isCancelled: Bool) -> ResponseInfo?
    {
        var load = RequestLoad(number: number, source: request)
        if let caller { load.requests = [caller] }
        if isCancelled { load.end = .cancelled }
        loads.append(load)
        for request in load.visible { track(request) }
        return reserved.removeValue(forKey: number) ?? nil
    }

    /// The source of a load has ended; the resource gets its result a little later.
    mutating func sourceDidEnd(_ number: UInt64, isCancelled: Bool) {
        guard let index = loads.firstIndex(where: { $0.number == number }) else { return }
        loads[index].end = isCancelled ? .cancelled : .completed
        untrack(loads[index].source)
    }

    /// What happens to the result of a load.
    enum EndResult {
        /// The load has not begun: the result is kept.
        case kept
        /// There is no such load any more.
        case ignored
        case ended(RequestLoad)
    }

    /// Load `number` has brought `info`.
    mutating func end(_ number: UInt64, _ info: ResponseInfo) -> EndResult {
        if reserved[number] != nil {
            reserved[number] = .some(info)
            return .kept
        }
        guard let index = loads.firstIndex(where: { $0.number == number }) else { return .ignored }
        let load = loads.remove(at: index)
        progress[number] = nil
        for request in load.visible { tracked.removeAll { $0 === request } }
        return .ended(load)
    }

    /// The load with the result of `request`, if the resource completes that.
    func load(completing request: Request) -> RequestLoad? {
        loads.first { load in load.completed.contains { $0 === request } }
    }

    /// Whether `request` is a load in progress already.
    func isLoading(by request: Request) -> Bool {
        loads.contains { load in
            load.isJoinable && (load.source === request || load.completed.contains { $0 === request })
        }
    }

    /// Lets `request` complete with the result of load `number`, too.
    mutating func join(_ request: Request, _ number: UInt64) {
        guard let index = loads.firstIndex(where: { $0.number == number }) else { return }
        if loads[index].requests.isEmpty {
            loads[index].joined.append(request)
        } else {
            loads[index].requests.append(request)
        }
    }

    /// What the resource must do after a request was cancelled.
    enum LeaveResult {
        case nothing
        /// The request was the load for all callers: its source must be cancelled.
        case cancel(Request)
    }

    /// `request`, which the resource completes, was cancelled.
    mutating func leave(_ request: Request) -> LeaveResult {
        guard let index = loads.firstIndex(where: { load in load.completed.contains { $0 === request } }) else {
            return .nothing
        }
        if loads[index].joined.contains(where: { $0 === request }) {
            loads[index].joined.removeAll { $0 === request }
            return .nothing
        }
        loads[index].requests.removeAll { $0 === request }
        return .cancel(loads[index].source)
    }

    /// Whether the cancellation of `request` would end others that are waited for, as they have the same load.
    func isAwaited(beside request: Request) -> Bool {
        guard let load = loads.first(where: { load in load.visible.contains { $0 === request } }),
            !(load.source !== request && load.joined.contains { $0 === request })
        else { return false }
        return load.visible.contains { $0 !== request && $0.isAwaited }
    }

    // MARK: The end

    mutating func cancelRequests() -> ProgramChange? {
        let cancelled = tracked + loads.map(\.source)
        for index in loads.indices { loads[index].isDetached = true }
        lookUpRequest = nil
        return ProgramChange(cancelled: cancelled)
    }

    mutating func end() -> ProgramChange? {
        let waiting = lookUpRequest.map { [$0] } ?? []
        return ProgramChange(cancelled: loads.flatMap(\.visible) + loads.map(\.source) + waiting)
    }

    mutating func callersDidEnd(_ callers: [any LoadCaller]) {
        tracked.removeAll { request in callers.contains { $0 === request } }
    }

    static func lookUpDidEnd(_ transition: inout Transition) { transition.resumeLookUpRequest() }

    // MARK: Observers

    mutating func change<R>(_ body: (inout ObserverList) -> R) -> R { body(&observers) }

    mutating func releaseDefunctObservers() -> ProgramChange? {
        if observers.isEmpty { return nil }
        var change = ProgramChange()
        let gone = observers.removeDefunct(&change.released)
        if !gone.isEmpty { change.notices.append(ObserverNotice(.stopped, to: gone)) }
        return change
    }

    func notice(of change: ResourceChange) -> (any ProgramNotice)? {
        let handles = observers.handles
        return handles.isEmpty ? nil : ObserverNotice(.change(change), to: handles)
    }

    // MARK: Progress

    /// Begins to report progress of load `number` to observers; returns false if it is reported already.
    mutating func watchProgress(of number: UInt64) -> Bool {
        if progress[number]?.isWatched ?? false { return false }
        progress[number] = ProgressReport(isWatched: true, last: progress[number]?.last ?? 0)
        return true
    }

    /// Nobody observes any more: progress of load `number` is not reported.
    mutating func unwatchProgress(of number: UInt64) { progress[number]?.isWatched = false }

    mutating func loadDidBegin(_ load: Load) -> ProgramChange? {
        guard isObserved, watchProgress(of: load.number) else { return nil }
        return ProgramChange(effects: [ModelEffect.watchLoad(load)])
    }

    mutating func loadWasDetached(_ number: UInt64) -> ProgramChange? {
        let isWatched = progress.removeValue(forKey: number)?.isWatched ?? false
        return isWatched ? reportProgress(1) : nil
    }

    mutating func loadWillEnd(_ number: UInt64) -> ProgramChange? {
        progress[number] = nil
        return reportProgress(1)
    }

    /// Notes the progress of load `number`.
    mutating func noteProgress(_ value: Double, of number: UInt64) -> ProgramChange? {
        if loads.contains(where: { $0.number == number && $0.isDetached }) { return nil }
        guard let last = progress[number]?.last, value > last, value < 1 else { return nil }
        progress[number]?.last = value
        return reportProgress(value)
    }

    private mutating func reportProgress(_ value: Double) -> ProgramChange? {
        var change = releaseDefunctObservers()
        let handles = observers.handles
        if !handles.isEmpty { change?.notices.append(ObserverNotice(.progress(value), to: handles)) }
        return change
    }
}
