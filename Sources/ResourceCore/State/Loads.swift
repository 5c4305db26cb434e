import HTTPCaching
import HTTPCore
import Outcomes
import Transforms

/// The loads of one resource that are in progress, in the order they began.
///
/// A value without locks, clocks and callbacks: it refers to loads and waiters, and calls none of them. `Transition`
/// does what follows from an event.
package struct Loads: Sendable {
    package private(set) var records: [LoadRecord] = []

    var isEmpty: Bool { records.isEmpty }

    /// The index of the load with this number.
    func index(of number: UInt64) -> Int? {
        // By index: of perhaps thousands, none is copied.
        for index in records.indices where records[index].number == number { return index }
        return nil
    }

    /// The load with this number, if it is in progress.
    package subscript(number: UInt64) -> LoadRecord? { index(of: number).map { records[$0] } }

    /// Changes the load with this number; nil if it has ended.
    mutating func change<R>(_ number: UInt64, _ body: (inout LoadRecord) -> R) -> R? {
        guard let index = index(of: number) else { return nil }
        return body(&records[index])
    }

    // MARK: Beginning and end

    mutating func begin(_ record: consuming LoadRecord) { records.append(record) }

    /// Removes a load; nil if it has ended already.
    mutating func end(_ number: UInt64) -> LoadRecord? {
        guard let index = index(of: number) else { return nil }
        return records.remove(at: index)
    }

    /// Removes a load whose response is complete; nil if it has ended already, or no head has come.
    mutating func complete(_ number: UInt64) -> (record: LoadRecord, head: ReceivedHead)? {
        guard let index = index(of: number), let head = records[index].received else { return nil }
        return (records.remove(at: index), head)
    }

    /// Detaches all loads: they serve requests that have joined, and commit nothing (S-203, S-243); returns the new
    /// ones.
    mutating func detachAll() -> [UInt64] {
        var detached: [UInt64] = []
        for index in records.indices where !records[index].isDetached {
            records[index].isDetached = true
            detached.append(records[index].number)
        }
        return detached
    }

    /// Detaches the load at `index`.
    mutating func detach(at index: Int) { records[index].isDetached = true }

    // MARK: Joining

    /// A load that a request may join.
    enum Joinable {
        /// - Parameter selection: the request's, which equals that of the request that caused the load.
        case load(UInt64, selection: [UInt8])
        /// The limit of requests that wait for it is reached (H-134).
        case full
    }

    /// The newest load that `request` may join.
    ///
    /// - Parameters:
    ///   - isHitForMiss: whether requests may not wait for the heads of each other's loads at present.
    ///   - hasStored: whether a stored response answers the request once it is validated.
    func joinable(
        by request: ClientRequest,
        isHitForMiss: Bool,
        hasStored: Bool,
        _ context: ResourceContext
    ) -> Joinable? {
        var memo = SelectionMemo()
        // By index: thousands may be closed, and none is copied.
        for index in records.indices.reversed() where !records[index].isClosed(isHitForMiss) {
            let selection = Self.selection(of: request, joining: records[index], hasStored: hasStored, context, &memo)
            guard let selection else { continue }
            let isFull = records[index].isFull(limit: context.configuration.waiterLimit)
            return isFull ? .full : .load(records[index].number, selection: selection)
        }
        return nil
    }

    /// The request's selection key if it may join the load; else nil.
    private static func selection(
        of request: ClientRequest,
        joining record: LoadRecord,
        hasStored: Bool,
        _ context: ResourceContext,
        _ memo: inout SelectionMemo
    ) -> [UInt8]? {
        let cause = record.cause
        guard !record.isDetached, !cause.isPost, !record.isOutdated(for: request, context) else { return nil }
        if let received = record.received {
            return received.mayBeFollowed(by: request, context, &memo) ? received.selection : nil
        }
        // A Range may wait for a validation: after a 304 it is served from the store; it shares no other response.
        let sharesValidation = request.directives.hasRange && hasStored && !cause.offered.isEmpty
        guard request.profile.mayJoin || sharesValidation, cause.request.partitions == request.partitions else {
            return nil
        }
        let selection = memo.selection(cause.vary, request.fields, context)
        return selection == record.selection(context) ? selection : nil
    }

    /// What a request gets when it joins a load.
    enum JoinResult {
        case waits
        case follows(LoadedResponse, CacheOutcome)
    }

    /// `request` joins the load with this number; nil if that has ended.
    mutating func join(_ number: UInt64, _ request: WaitingRequest, selection: [UInt8]) -> JoinResult? {
        change(number) { record in
            guard let response = record.received?.response else {
                record.join(request, selection: selection)
                return .waits
            }
            let outcome = record.follow(request.id, isLeader: false)
            // The content is complete and only not stored yet: for the client that is a hit.
            return .follows(response, response.isComplete ? .hit : outcome)
        }
    }

    /// Whether a load in progress already refreshes `stored`, or will replace it.
    func isRefreshing(_ stored: StoredResponse, for request: ClientRequest, _ context: ResourceContext) -> Bool {
        var memo = SelectionMemo()
        return records.contains { record in
            if record.isDetached { return false }
            let cause = record.cause
            return cause.isAbout(stored)
                || cause.request.partitions == request.partitions
                    && record.selection(context) == memo.selection(cause.vary, request.fields, context)
        }
    }

    // MARK: The head

    /// The cause of the load with this number, and whether it is detached; nil if it has ended.
    func cause(of number: UInt64) -> (cause: LoadCause, isDetached: Bool)? {
        index(of: number).map { (records[$0].cause, records[$0].isDetached) }
    }

    /// A load whose head has come, and the requests that waited for it.
    typealias HeadResult = (
        cause: LoadCause, leader: WaiterID?, isDetached: Bool, waiting: TinyArray<WaitingRequest>
    )

    /// The head of the load at `index` has come.
    mutating func receive(_ head: ReceivedHead, at index: Int) -> HeadResult {
        records[index].receive(head)
    }

    /// A request that waited follows the response of the load at `index`; returns the Cache-Status for it.
    mutating func follow(_ follower: WaiterID, at index: Int, isLeader: Bool) -> CacheOutcome {
        records[index].follow(follower, isLeader: isLeader)
    }

    // MARK: Interest

    /// A request has left.
    ///
    /// - Returns: the number of its load, and the request if it still waited; nil if no load here has it.
    mutating func leave(_ waiter: WaiterID) -> (number: UInt64, released: WaitingRequest?)? {
        for index in records.indices {
            switch records[index].leave(waiter) {
            case .followed: return (records[index].number, nil)
            case .waited(let request): return (records[index].number, request)
            case nil: continue
            }
        }
        return nil
    }

    /// A caller has left; returns the number of its load.
    mutating func leave(_ caller: any LoadCaller) -> UInt64? {
        let index = records.firstIndex { record in record.callers.contains { $0 === caller } }
        guard let index else { return nil }
        records[index].callers.removeAll { $0 === caller }
        return records[index].number
    }

    /// What happens to a load, by the interest in it.
    enum InterestResult {
        /// A request or caller wants it.
        case wanted
        /// Callers await its end, and no request reads the content: it has to flow all the same.
        case unread(GrowingBody)
        /// Without interest, it continues.
        case spared
        /// Without interest, it is judged again with each piece of content (H-150).
        case onTrial(Load)
        /// Without interest, it was removed and is to be cancelled.
        case abandoned(LoadRecord)
    }

    /// Judges the load with this number; nil if it has ended.
    ///
    /// - Parameter isObserved: whether a program observes the resource.
    mutating func reconsider(_ number: UInt64, isObserved: Bool, _ context: ResourceContext) -> InterestResult? {
        guard let index = index(of: number) else { return nil }
        let result = records[index].reconsider(isObserved: isObserved, context)
        switch result {
        case .wanted: return .wanted
        case .unread(let body): return .unread(body)
        case .spared: return .spared
        case .onTrial: return .onTrial(records[index].load)
        case .abandoned: return .abandoned(records.remove(at: index))
        }
    }

    /// All followers continue elsewhere, and no request can join any more.
    ///
    /// The load continues only for callers that await its end.
    ///
    /// - Returns: nil if it has ended, or if its content does not arrive in a body.
    mutating func desert(_ number: UInt64) -> InterestResult? {
        guard let index = index(of: number), let body = records[index].received?.response.growing else { return nil }
        return records[index].callers.isEmpty ? .abandoned(records.remove(at: index)) : .unread(body)
    }
}

extension LoadRecord {
    /// Whether the request asks for a response that was not asked for before it came.
    func isOutdated(for request: ClientRequest, _ context: ResourceContext) -> Bool {
        request.directives.noCache && cause.sentAt < request.arrival
            && context.configuration.caching.clientNoCacheIgnoredBy == nil
    }

    fileprivate enum Interest { case wanted, unread(GrowingBody), spared, onTrial, abandoned }

    fileprivate mutating func reconsider(isObserved: Bool, _ context: ResourceContext) -> Interest {
        if hasInterest {
            abandonedUntil = nil
            return unreadBody.map { .unread($0) } ?? .wanted
        }
        if cause.isBackground, mayBeStored, received == nil || !cause.refreshesPart { return .spared }
        guard let received else { return isObserved && isActive ? .spared : .abandoned }
        let until = abandonedUntil ?? context.now + context.configuration.fillTime
        guard isWorthFinishing(received.response, until, context) else { return .abandoned }
        abandonedUntil = until
        return .onTrial
    }

    private func isWorthFinishing(
        _ response: LoadedResponse,
        _ until: MonotonicTime,
        _ context: ResourceContext
    ) -> Bool {
        if response.isComplete { return true }
        guard context.now < until else { return false }
        // Reading a short rest keeps the connection.
        guard mayBeStored else { return response.contentLength.map { $0 <= 64 * 1024 } ?? false }
        let received = response.growing?.received ?? 0
        guard let length = response.contentLength else { return received < context.configuration.fillRemainder }
        let (share, overflow) = length.multipliedReportingOverflow(by: context.configuration.fillPercent)
        return length - received < context.configuration.fillRemainder || (!overflow && received >= share / 100)
    }
}
