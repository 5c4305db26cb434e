import Exchanges
import HTTPCaching
import HTTPCore
import Locking
import Transforms

/// What loads over exchanges bring.
extension Resource {
    func load(_ load: Load, didReceiveInterim head: ResponseHead) {
        Delivery.deliver(head, to: state.withLock { $0.waiters(of: load.number) })
    }

    func load(_ load: Load, didReceive head: ResponseHead, begin: (any BodySink) -> Void) {
        if head.status == 304 {
            notModified(load, head)
        } else if let (cause, isDetached) = state.withLock({ $0.cause(of: load.number) }) {
            let context = context
            let completed = cause.prefix.flatMap { CompletedHead($0, head, cause.request, context) }
            // What cannot be put behind what is held is of no use, nor is that then for the whole: all of it is asked for.
            if cause.prefix != nil, completed == nil, head.status == 206 || head.status == 416 {
                return perform(context) { state, context, effects in
                    state.reload(load.number, context, &effects)
                    effects.cancels.append(load)
                }
            }
            let arriving = IncomingResponse(cause, isDetached: isDetached, head, completed, context)
            begin(arriving.received)
            let storability = perform(context) { state, context, effects in
                state.receive(arriving.arrival, arriving.sharing, from: load.number, context, &effects)
            }
            if let storability { note(storability, head.status, context) }
        }
    }

    /// A response has come in one piece: what receives, seals and ends it is one change.
    ///
    /// - Returns: false if it must be taken step by step, since something is special about it.
    func load(_ load: Load, didReceive whole: WholeResponse) -> Bool {
        // Else it has ended already.
        guard let (cause, isDetached) = state.withLock({ $0.cause(of: load.number) }) else { return true }
        let context = context
        // Parts are put together, pipelines read what comes, and what is large goes to a file.
        guard whole.head.status != 304, cause.prefix == nil, cause.request.rendition == nil,
            whole.content.count <= context.configuration.body.inMemory
        else { return false }
        let judged = JudgedHead(whole.head, isStripped: false, cause, isDetached: isDetached, context)
        let content = LoadedResponse.Content.whole(whole.content, isShared: judged.isShared)
        let response = judged.response(load.number, judged.fields, content, context)
        let (arrival, sharing) = (judged.arrival(response, cause, context), judged.sharing)
        let (body, number) = (judged.isKept ? RecordBody.bytes(whole.content.compact.bytes) : nil, load.number)
        let storability = perform(context) { state, context, effects in
            let storability = state.receive(arrival, sharing, from: number, context, &effects)
            state.finalize(number, body, context, &effects)
            return storability
        }
        if let storability { note(storability, whole.head.status, context) }
        return true
    }

    /// Remembers for `explain` why the response is not going to be stored, or forgets why the one before was not.
    private func note(_ storability: Storability, _ status: UInt16, _ context: ResourceContext) {
        let hash = context.hash
        guard case .refuse(let reason) = storability else { return core.table.noteResponse(hash, nil) }
        let unstored = UnstoredResponse(hash: hash, status: status, reason: reason, time: context.now)
        core.table.noteResponse(hash, unstored)
    }

    private func notModified(_ load: Load, _ head: ResponseHead) {
        perform { state, context, effects in
            guard let cause = state.load(load.number)?.exchange else { return }
            if cause.offered.isEmpty {
                let failure = ExchangeFailure(
                    .protocolError,
                    "the origin answered 304 to a request without conditions",
                    responseHadBegun: true
                )
                return state.fail(load.number, failure, context, &effects)
            }
            guard case .freshens(let offer) = Freshening.match(head.fields, offered: cause.offered.map(\.metadata)),
                cause.offered.indices.contains(offer)
            else { return state.reload(load.number, context, &effects) }
            let old = cause.offered[offer]
            let (freshened, fate) = old.freshened(
                by: head,
                cause.request,
                sentAt: load.sentAt,
                number: load.number,
                context
            )
            // A cookie the origin sets is the causing request's, whatever is kept.
            let isPersonal = head.fields.contains(.setCookie) && freshened.metadata.applied?.setCookie != .strip
            let own =
                isPersonal
                ? old.freshened(
                    by: head,
                    cause.request,
                    sentAt: load.sentAt,
                    number: load.number,
                    keepsSetCookie: true,
                    context
                ).0 : freshened
            state.receiveNotModified(
                freshened,
                forLeader: own,
                replacing: old,
                fate,
                isForAll: fate != .remove && !isPersonal,
                from: load.number,
                context,
                &effects
            )
        }
    }

    /// The content is complete, and in the form in which it is stored.
    func load(_ load: Load, didFinalize body: RecordBody?) {
        perform { $0.finalize(load.number, body, $1, &$2) }
    }

    /// The content could not be redacted.
    func load(_ load: Load, didFailRedaction failure: RunFailure) {
        perform { state, context, effects in
            state.failRedaction(load.number, failure.error(at: context.now), context, &effects)
        }
    }

    /// What was put before the rest cannot be read.
    func load(_ load: Load, didFindDamaged prefix: StoredResponse) { contentIsDamaged(prefix) }

    func load(_ load: Load, didFail failure: ExchangeFailure) {
        perform { $0.fail(load.number, failure, $1, &$2) }
    }

    /// Nobody reads what a load brings, and it is not kept.
    func loadDidLoseReaders(_ load: Load) {
        perform { $0.desert(load.number, $1, &$2) }
    }

    func reconsider(_ load: Load) {
        perform { $0.reconsider(load.number, $1, &$2) }
    }
}
