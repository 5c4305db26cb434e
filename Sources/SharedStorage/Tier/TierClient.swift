public import Eventing
import Exchanges
import HTTPCore

/// One loop's way to the shared server.
///
/// Bound to its loop.
public final class TierClient {
    let loop: EventLoop
    private let server: any SharedServer
    private let packer = RecordPacker()
    private let tier: SharedTier

    public init(_ loop: EventLoop, _ server: any SharedServer, _ tier: SharedTier) {
        (self.loop, self.server, self.tier) = (loop, server, tier)
    }

    /// Looks for the response to a load; `completion` is called once, with nil if there is none in time.
    func lookUp(_ load: SharedLoad, _ completion: @escaping (SharedAnswer?) -> Void) {
        guard !tier.revocations.isPending(load.uri), let admission = tier.admit(at: loop.now) else {
            return loop.atEndOfTurn { completion(nil) }
        }
        let lookUp = LookUp(load, sizeLimit: tier.options.maximumObjectSize)
        let run = LookUpRun(lookUp, load, admission, start: loop.now, completion)
        ask(lookUp.beginning, run, within: tier.options.timeout)
    }

    private func ask(_ commands: [RedisCommand], _ run: LookUpRun, within time: Duration) {
        server.send(commands, within: time) { [self] result in
            switch result {
            case .success(let replies): didReceive(replies, run)
            case .failure(let failure): end(run, failure.userMessage)
            }
        }
    }

    private func didReceive(_ replies: [RedisReply], _ run: LookUpRun) {
        let step = run.lookUp.receive(replies, at: loop.wallNow, packer)
        switch step {
        case .ask(let commands, let isContent):
            let spent = loop.now - run.start
            let left = isContent ? tier.options.contentTimeout : tier.options.timeout - spent
            if left > .zero { ask(commands, run, within: left) } else { end(run, SharedFailure.timeout.userMessage) }
        case .found(let answer):
            tier.noteResponse(run.admission, at: loop.now)
            // A purge may have come meanwhile.
            let isCurrent = !tier.revocations.isPending(run.load.uri) && !tier.revocations.covers(answer.response)
            tier.noteLookUp(run.lookUp.faults, took: loop.now - run.start, isHit: isCurrent)
            run.completion(isCurrent ? answer : nil)
        case .end(.missing(let token)):
            tier.noteResponse(run.admission, at: loop.now)
            tier.noteLookUp(run.lookUp.faults, took: loop.now - run.start, isHit: false)
            tier.fills.note(run.load, token: token)
            run.completion(nil)
        case .end(.refused(let error)): end(run, error.userMessage)
        case .end(.unexpected): end(run, SharedFailure.unexpected.userMessage)
        }
    }

    private func end(_ run: LookUpRun, _ reason: String) {
        tier.noteFailure(run.admission, reason, at: loop.now, wall: loop.wallNow)
        run.completion(nil)
    }

    // MARK: Storing

    func store(_ packed: PackedRecord, _ fill: SharedTier.ReadyFill) {
        let pieces = Filling.pieces(packed, of: fill.response.uri, lifetime: fill.lifetime)
        guard !pieces.isEmpty else { return storeRecord(packed, fill) }
        server.send(pieces, within: tier.options.storeTimeout) { [self] result in
            guard let error = Self.error(in: result) else { return storeRecord(packed, fill) }
            tier.noteRefusal(error, at: loop.now)
        }
    }

    private func storeRecord(_ packed: PackedRecord, _ fill: SharedTier.ReadyFill) {
        let command = Filling.record(
            packed,
            fill.response,
            vary: fill.vary,
            seen: fill.seen,
            token: fill.token,
            lifetime: fill.lifetime
        )
        server.send([command], within: tier.options.storeTimeout) { [self] result in
            if let error = Self.error(in: result) { return tier.noteRefusal(error, at: loop.now) }
            // 0: the resource has been purged meanwhile.
            if (try? result.get())?.first == .number(1) { tier.statistics.noteStored() }
        }
    }

    /// Makes what the server has of a resource useless.
    func forget(_ uri: TargetURI) {
        server.send([Filling.forget(uri)], within: tier.options.storeTimeout) { [self] result in
            guard let error = Self.error(in: result) else { return tier.revocations.end(uri) }
            // It stays revoked here, and is sent again once the server answers.
            tier.noteRefusal(error, at: loop.now)
        }
    }

    private static func error(in result: SharedResult) -> String? {
        switch result {
        case .failure(let failure): failure.userMessage
        case .success(let replies): replies.lazy.compactMap(\.failure).first?.userMessage
        }
    }

    func close() { server.close() }
}

/// A look-up that is in progress.
private final class LookUpRun {
    var lookUp: LookUp
    let load: SharedLoad
    let admission: ServerAdmission
    let start: MonotonicTime
    let completion: (SharedAnswer?) -> Void

    init(
        _ lookUp: LookUp,
        _ load: SharedLoad,
        _ admission: ServerAdmission,
        start: MonotonicTime,
        _ completion: @escaping (SharedAnswer?) -> Void
    ) {
        (self.lookUp, self.load, self.admission) = (lookUp, load, admission)
        (self.start, self.completion) = (start, completion)
    }
}
