import Exchanges
import HTTPCaching
import HTTPCore
import Locking
import Transforms

/// Events of loads over exchanges.
extension Resource: LoadDelegate {
    func load(_ load: Load, didReceiveInterim head: ResponseHead) {
        Delivery.deliver(head, to: state.withLock { $0.loads[load.number]?.waiting } ?? [])
    }

    func incomingResponse(of load: Load, _ head: ResponseHead) -> IncomingResponse? {
        if head.status == 304 {
            perform { $0.receiveNotModified(head, from: load.number) }
            return nil
        }
        guard let (cause, isDetached) = state.withLock({ $0.loads.cause(of: load.number) }) else { return nil }
        let context = context
        let completed = CompletedHead(cause, head, context)
        // A response that cannot be added to the stored part is useless: the load asks for the whole.
        if cause.prefix != nil || cause.hole != nil, completed == nil,
            head.status == 206 || head.status == 416
                || cause.hole != nil && perform(context, { PartLoads.isUseless(head, from: load.number, in: $0) })
        {
            // The same tag for other bytes: neither is relied on, and what is stored stays (C-22.2).
            let contradicts =
                head.status == 206 && cause.part.map { $0.metadata.hasStrongTag(of: head.fields) } ?? false
            if contradicts {
                let unstored = UnstoredResponse(hash: hash, status: 206, reason: .contentRange, time: context.now)
                core.table.noteResponse(hash, unstored)
            }
            perform(context) { transition in
                transition.end(load.number) { contradicts ? PartLoads.refuse($1, in: &$0) : $0.reload($1) }
                transition.effects.extra.cancelledLoads.append(load)
            }
            return nil
        }
        return IncomingResponse(load, cause, isDetached: isDetached, head, completed, context)
    }

    func load(_ load: Load, didReceive response: IncomingResponse) {
        let storability = perform(response.context) { $0.receive(response.head, from: load.number) }
        if let storability { note(storability, response.head.response) }
    }

    func load(_ load: Load, didReceive whole: WholeResponse) -> Bool {
        // Otherwise the load has ended already.
        guard let (cause, isDetached) = state.withLock({ $0.loads.cause(of: load.number) }) else { return true }
        let context = context
        // Completed parts, pipelines and large content need the separate steps.
        guard whole.head.status != 304, cause.prefix == nil, cause.hole == nil, cause.request.rendition == nil,
            whole.content.count <= context.configuration.body.inMemory
        else { return false }
        let judged = JudgedHead.judge(whole.head, isStripped: false, cause, isDetached: isDetached, context)
        let content = LoadedResponse.Content.whole(whole.content, isShared: judged.isShared)
        let response = judged.response(load.number, judged.fields, content, context)
        let head = judged.received(response, cause, context)
        let body = judged.isKept ? RecordBody.bytes(whole.content.compact.bytes) : nil
        let storability = perform(consume context) { transition in
            let storability = transition.receive(head, from: load.number)
            transition.finalize(load.number, body)
            return storability
        }
        if let storability { note(storability, response) }
        return true
    }

    /// Remembers for `explain` why the response is not stored; forgets that of an earlier one if it is.
    private func note(_ storability: Storability, _ response: LoadedResponse) {
        guard case .refuse(let reason) = storability else { return core.table.noteResponse(hash, nil) }
        let (status, time) = (response.status, response.receivedAt)
        core.table.noteResponse(hash, UnstoredResponse(hash: hash, status: status, reason: reason, time: time))
    }

    func load(_ load: Load, didFinalize body: RecordBody?) { perform { $0.finalize(load.number, body) } }

    func load(_ load: Load, didFailRedaction failure: RunFailure) {
        perform { $0.failRedaction(load.number, failure.error(at: $0.context.now)) }
    }

    func load(_ load: Load, didFindDamaged prefix: StoredResponse) { contentIsDamaged(prefix) }

    func load(_ load: Load, didFail failure: ExchangeFailure) {
        perform { $0.end(load.number) { $0.fail($1, failure) } }
    }

    func loadDidLoseReaders(_ load: Load) {
        perform { $0.handle($0.state.activity?.loads.desert(load.number)) }
    }

    func resumption(of load: Load) -> CatchUpPlan? {
        guard let record = state.withLock({ $0.loads[load.number] }), let head = record.received,
            head.response.growing != nil, head.response.metadata.hasStrongTag, head.response.redaction == nil,
            head.response.status == 200 && head.response.contentLength != nil || head.extent != nil
        else { return nil }
        return CatchUpPlan(load, head.response, context)
    }

    /// A response was cut, and its rest cannot be had: what has come is kept as a part.
    func keepPart(_ record: LoadRecord, _ failure: ExchangeFailure?, _ resetCount: UInt32) {
        let body = record.received?.response.growing
        if let failure { body?.fail(failure) }
        body?
            .takePart { [link = ResourceLink(self)] part in
                link.resource?.perform { PartLoads.commitPart(of: record, part, resetCount, in: &$0) }
            }
    }

    func reconsider(_ load: Load) { perform { $0.reconsider(load.number) } }
}
