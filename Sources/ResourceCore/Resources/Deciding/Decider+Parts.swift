import HTTPCaching
import HTTPCore
import Outcomes

/// Responses that consist of stored parts and of bytes still to load (C-22.1).
extension Decider {
    /// Decides about bytes that a response in progress still needs.
    func decision(for request: ClientRequest, _ wanted: WantedBytes) -> Decision {
        let response = wanted.response
        let held = state.variants.matches(request, context).first {
            $0.hasSameRepresentation(as: response) && $0.held(from: wanted.range.lowerBound, to: .max) != nil
        }
        if let held { return .serve(held, .hit, refreshes: false) }
        if state.variants.lookUp != .known { return .lookUp }
        if let refusal = CacheRefusal(mode) { return .answer(.refused(refusal)) }
        return joinOrLoad(request, wanted)
    }

    /// The first bytes that a client's request needs and no part has.
    func firstHole(for request: ClientRequest, in part: StoredResponse) -> WantedBytes? {
        guard part.canBeContinued, let extent = part.extent, let total = extent.total, request.rendition == nil,
            !request.isHead, request.directives.hasRange || !extent.ranges.isEmpty && part.isFresh(at: context.now),
            let plan = part.assemblyPlan(request.fields, context.configuration.caching)
        else { return nil }
        let hole = plan.ranges(of: total).lazy.compactMap { extent.firstHole(in: $0) }.first
        let step = request.directives.hasRange ? WantedBytes.shortStep : WantedBytes.longStep
        return hole.map { WantedBytes($0, of: part, step: step) }
    }

    /// Joins a load that brings the first of these bytes soon, or loads as many of them as nothing else brings.
    func joinOrLoad(_ request: ClientRequest, _ wanted: WantedBytes) -> Decision {
        let loading = state.loads.parts(of: wanted.response, for: request, context)
        // A response that has begun goes on, however old it is by now.
        let hasBegun = request.wanted != nil
        if let near = loading.first(where: { ($0.isFresh || hasBegun) && $0.isNear(wanted.range.lowerBound) }) {
            return .join(near.number, selection: near.selection)
        }
        var end = wanted.range.upperBound
        let stored = state.variants.matches(request, context).first { $0.hasSameRepresentation(as: wanted.response) }
        if let hole = stored?.extent?.firstHole(in: wanted.range) { end = hole.upperBound }
        for other in loading where other.start > wanted.range.lowerBound { end = min(end, other.start) }
        let step = loading.isEmpty ? wanted.step : WantedBytes.shortStep
        let range = (wanted.range.lowerBound..<end).prefix(step)
        var plan = LoadPlan(forward: .partial, isHitForMiss: true, isRanged: true)
        plan.basis = Boxed(LoadBasis(part: wanted.response, hole: range))
        return .load(plan)
    }
}

/// Bytes of a representation that a load brings.
struct LoadingPart {
    let number: UInt64
    let selection: [UInt8]
    /// From the next byte of the origin on.
    let rest: Range<Int64>
    /// The first byte that the load brought, or will bring.
    let start: Int64
    /// The time since its head came.
    var age = Duration.zero
    /// Whether a response to the request may begin with it.
    var isFresh = true

    /// Whether the load has brought the byte at `position`, or will do so within half a second at its present speed.
    func isNear(_ position: Int64) -> Bool {
        guard start <= position, position < rest.upperBound else { return false }
        let distance = position - rest.lowerBound
        if distance <= WantedBytes.patience { return true }
        return Double(distance) * (age / .milliseconds(500)) <= Double(rest.lowerBound - start)
    }
}

extension Loads {
    /// The load of a part whose head shows what `request`, for a large part or several, need not load itself.
    ///
    /// A request for a small range does not wait (C-23.0). One for several waits for any part: what the origin sends
    /// for it comes as one content, whose bytes are not stored.
    ///
    /// - Parameter isHitForMiss: whether recent heads have shown that requests share nothing.
    func awaitedPart(by request: ClientRequest, isHitForMiss: Bool, _ context: ResourceContext) -> Decision? {
        guard request.directives.hasRange, ContentExtent.asked(request.fields)?.isLarge ?? true else { return nil }
        let waitsForAny = !isHitForMiss && ContentExtent.asksForSeveral(request.fields)
        for record in records where record.received == nil && !record.isDetached {
            guard let asked = record.cause.asked, asked.isLarge || waitsForAny else { continue }
            let selection = context.selection(record.cause.vary, request.fields)
            guard record.cause.request.partitions == request.partitions, selection == record.selection(context),
                !record.isFull(limit: context.configuration.waiterLimit)
            else { continue }
            return .join(record.number, selection: selection)
        }
        return nil
    }

    /// The loads of parts of the representation of `response` that `request` may follow.
    func parts(of response: StoredResponse, for request: ClientRequest, _ context: ResourceContext) -> [LoadingPart] {
        records.compactMap { record in
            guard !record.isDetached, request.partitions.rank(of: response.partition) != nil else { return nil }
            guard let head = record.received else {
                guard let range = record.cause.asked, record.cause.part?.hasSameRepresentation(as: response) ?? false,
                    record.cause.request.partitions == request.partitions,
                    record.selection(context) == context.selection(record.cause.vary, request.fields)
                else { return nil }
                let selection = record.selection(context)
                return LoadingPart(
                    number: record.number,
                    selection: selection,
                    rest: range,
                    start: range.lowerBound,
                    isFresh: !record.isOutdated(for: request, context)
                )
            }
            guard let first = head.extent?.ranges.first ?? head.wholeRange, head.partition == response.partition,
                head.selection == response.selection, response.hasSameRepresentation(as: head.response),
                let body = head.response.growing, body.acceptsReaders
            else { return nil }
            let end = record.end.map { min(first.lowerBound + $0, first.upperBound) } ?? first.upperBound
            let next = min(end, first.lowerBound + body.received)
            let rest = next..<end
            return LoadingPart(
                number: record.number,
                selection: head.selection,
                rest: rest,
                start: first.lowerBound,
                age: context.now - head.response.receivedAt,
                isFresh: head.isFresh(for: request, context)
            )
        }
    }
}

extension Range<Int64> {
    /// The first `count` of these positions, or all.
    func prefix(_ count: Int64) -> Range<Int64> {
        lowerBound..<(lowerBound + Swift.min(upperBound - lowerBound, count))
    }

    /// Whether it is worth waiting for another load's head, before so many bytes are asked for.
    fileprivate var isLarge: Bool { upperBound - lowerBound > WantedBytes.shortStep }
}
