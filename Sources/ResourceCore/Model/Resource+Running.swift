import Exchanges
import HTTPCore
import Locking
import Transforms

/// Changing the state, and doing what follows.
extension Resource {
    var context: ResourceContext {
        // The number first: what is found out then is of this generation or a later one.
        let generation = core.table.configurationGeneration
        let timekeeper = environment.timekeeper
        return ResourceContext(
            now: timekeeper.now,
            wallNow: timekeeper.wallNow,
            effective: configuration,
            generation: generation,
            isWatched: core.table.isWatched,
            resource: self,
            hash: hash,
            notes: RespiteLog.Category.isAnyEnabled ? DeferredNotes() : nil
        )
    }

    /// Changes the state, then does what follows from it.
    func perform<R>(_ body: (inout ResourceState, ResourceContext, inout Effects) -> R) -> R {
        perform(context, body)
    }

    func perform<R>(
        _ context: ResourceContext,
        _ body: (inout ResourceState, ResourceContext, inout Effects) -> R
    ) -> R {
        var effects = Effects()
        let (result, hasNotices, hasOperations) = state.withLock { state in
            let result =
                if let newer = state.adopt(context, &effects) {
                    body(&state, context.by(newer), &effects)
                } else {
                    body(&state, context, &effects)
                }
            state.settle()
            if state.isHeld, !effects.isChanged, state.isIdle { effects.isChanged = true }
            return (result, state.hasNotices, state.hasOperations)
        }
        context.notes?.deliver()
        run(effects, context.hash, hasNotices, hasOperations)
        return result
    }

    private func run(_ effects: Effects, _ hash: UInt64, _ hasNotices: Bool, _ hasOperations: Bool) {
        if effects.isChanged { core.table.update(self, hash) }
        if effects.hasRare {
            for load in effects.cancels { load.cancel() }
            for body in effects.unread { body.flowUnread() }
        }
        Delivery.deliver(effects.replies)
        if effects.hasRare { for request in effects.cancelledRequests { request.cancel() } }
        if hasNotices { tellObservers() }
        if effects.hasRare { for (request, outcome) in effects.completions { request.complete(outcome) } }
        effects.starts.forEach { $0.start() }
        if effects.hasRare {
            for (number, request) in effects.watchedRequests { watch(request, of: number) }
            for load in effects.watchedLoads { watch(load) }
        }
        if hasOperations { runErrands() }
        if !effects.entered.isEmpty || !effects.left.isEmpty {
            core.table.settle(entered: effects.entered, left: effects.left)
        }
        if effects.needsLoad { loadForLookUp() }
        if let delay = effects.recheckAfter { recheck(after: delay) }
    }

    // MARK: Observers

    /// Lets go of observers that are no more, before it is asked whether there are any (S-214).
    func releaseDefunctObservers() {
        var effects = Effects()
        state.withLock { state in
            state.releaseDefunctObservers(&effects)
            state.settle()
        }
        run(effects, hash, true, true)
    }

    /// Has observers told what is to be told, on the delivery context, one notice after another.
    private func tellObservers() {
        guard let delivery = core.delivery, !delivery.isCurrent else { return drainNotices() }
        let submits = state.withLock { state in
            guard !state.willTell, !state.isTelling, !state.notices.isEmpty else { return false }
            state.willTell = true
            return true
        }
        guard submits else { return }
        delivery.submit {
            self.state.withLock { $0.willTell = false }
            self.drainNotices()
        }
    }

    /// Tells, unless another thread is at it, or this one further up.
    private func drainNotices() {
        let isFree = state.withLock { state in
            guard !state.isTelling, !state.notices.isEmpty else { return false }
            state.isTelling = true
            return true
        }
        guard isFree else { return }
        while let notices = nextNotices() {
            for pending in notices {
                for observer in pending.observers { observer.tell(pending.notice, of: self) }
                if case .change(let change) = pending.notice { core.table.post(change) }
            }
        }
        if isIdle { core.table.update(self, hash) }
    }

    private func nextNotices() -> [PendingNotice]? {
        state.withLock { state in
            guard !state.notices.isEmpty else {
                state.isTelling = false
                state.settle()
                return nil
            }
            defer { state.notices = [] }
            return state.notices
        }
    }

    // MARK: Errands

    /// Does errands one after another, unless another thread is at it.
    private func runErrands() {
        let isFree = state.withLock { state in
            guard !state.isRunningOperations, !state.operations.isEmpty else { return false }
            state.isRunningOperations = true
            return true
        }
        guard isFree else { return }
        while let operations = nextErrands() { for operation in operations { run(operation) } }
        if isIdle { core.table.update(self, hash) }
    }

    private func nextErrands() -> [StoreOperation]? {
        state.withLock { state in
            guard !state.operations.isEmpty else {
                state.isRunningOperations = false
                state.settle()
                return nil
            }
            defer { state.operations = [] }
            return state.operations
        }
    }

    private var link: ResourceLink { ResourceLink(self, hash) }

    private func run(_ operation: StoreOperation) {
        let store = environment.store
        switch operation {
        case .lookUp(let number):
            lookUp(number)
        case .commit(let stored):
            store?.commit(stored.record) { [link] in if $0 { link.resource?.didBecomeDurable() } }
            stored.knownRenditions?.didCommit(stored)
        case .freshen(let stored):
            store?.freshen(stored.record) { [link] in if $0 { link.resource?.didBecomeDurable() } }
            stored.knownRenditions?.didCommit(stored)
        case .invalidate(let completion):
            if let store { store.invalidate(uri, durable: completion) } else { completion(true) }
        case .remove(let partition, let selection):
            store?.remove(uri, partition: partition, selection: selection)
        case .commitLocal(let stored, let completion):
            if let store { store.commit(stored.record, durable: completion) } else { completion(false) }
        case .removeAll(let completion):
            if let store { store.remove(uri, completion) } else { completion(0) }
        case .write(let outputs):
            CacheWrites.write(outputs, for: self)
        case .touch(let timestamp):
            CacheWrites.touch(timestamp, in: configuration.values.pipeline, for: self)
        case .removeEntities(let completion):
            CacheWrites.remove(from: configuration.values.pipeline, for: self, then: completion)
        }
    }

    private func lookUp(_ number: UInt32) {
        guard !loadsByRequests else {
            return CacheLookUp(self, configuration.values).run { [weak self] hit in
                self?.perform { $0.finishLookUp(number, hit, $1, &$2) }
            }
        }
        environment.store?.lookUp(uri) { [link] records in
            link.resource?.perform { $0.finishLookUp(number, records, $1, &$2) }
        }
    }

    /// A record, or a form of one, is at rest.
    func didBecomeDurable() {
        perform { state, context, effects in
            if context.isWatched || !state.observers.isEmpty { state.emit(.durable, context, &effects) }
        }
    }

    // MARK: Timers

    /// Looks again, once what is remembered is due to be forgotten; one timer at a time.
    private func recheck(after delay: Duration) {
        let isNew = state.withLock { state in
            defer { state.hasTimer = true }
            return !state.hasTimer
        }
        guard isNew else { return }
        environment.timekeeper.after(delay + .milliseconds(1)) { [link] in
            guard let resource = link.resource else { return }
            resource.state.withLock { $0.hasTimer = false }
            if let next = resource.perform({ $0.expire($1, &$2) }) { resource.recheck(after: next) }
        }
    }
}
