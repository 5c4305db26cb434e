import Configurations
import Exchanges
import HTTPCore
import Locking
import Transforms

/// Runs transitions and carries out their effects; nothing else does.
extension Resource {
    var context: ResourceContext {
        // The number first: the configuration is then of this generation or a later one.
        let generation = core.table.configurationGeneration
        return context(configuration, generation)
    }

    func context(_ effective: EffectiveConfiguration, _ generation: UInt64) -> ResourceContext {
        let environment = environment
        return ResourceContext(
            now: environment.timekeeper.now,
            wallNow: environment.timekeeper.wallNow,
            effective: effective,
            generation: generation,
            uri: uri,
            environment: environment,
            notes: RespiteLog.Category.isAnyEnabled ? DeferredNotes() : nil
        )
    }

    /// Changes the state, then carries out the effects.
    package func perform<R>(_ body: (inout Transition) -> R) -> R { perform(context, body) }

    package func perform<R>(_ context: consuming ResourceContext, _ body: (inout Transition) -> R) -> R {
        let notes = context.notes
        var transition = Transition(self, context)
        let result = state.withLock { state in
            // Moved, not copied, so that it is changed in place.
            swap(&transition.state, &state)
            transition.begin()
            let result = body(&transition)
            transition.end()
            swap(&transition.state, &state)
            return result
        }
        notes?.deliver()
        carryOut(transition.effects)
        return result
    }

    private func carryOut(_ effects: Effects) {
        if effects.updatesTable { core.table.update(self) }
        // Caches of a program get data before anybody hears of it.
        if core.program != nil, !effects.operations.isEmpty { runOperations() }
        effects.used.forEach { $0.noteUse() }
        let extras = effects.extras?.value
        if let extras {
            for (caller, load) in extras.followed { caller.follow(load) }
            for load in extras.cancelledLoads { load.cancel() }
            for part in extras.keptParts { keepPart(part.record, part.failure, part.resetCount) }
            for load in extras.loadsOnTrial { load.putOnTrial() }
            for (load, end) in extras.shortenedLoads { load.shorten(to: end) }
            for body in extras.unread { body.flowUnread() }
        }
        Delivery.deliver(effects.results)
        if let extras { for caller in extras.cancelledCallers { caller.cancel(isServiceDropped: extras.isEnd) } }
        if !effects.notices.isEmpty { deliverNotices() }
        if let extras {
            for (caller, outcome) in extras.completions { caller.loadDidEnd(outcome) }
            for effect in extras.program { effect.carryOut(on: self) }
        }
        effects.starts.forEach { $0.start() }
        if !effects.operations.isEmpty { runOperations() }
        if !effects.entered.isEmpty || !effects.left.isEmpty {
            core.table.memoryDidChange(entered: effects.entered, left: effects.left)
        }
        if let delay = effects.recheckAfter { recheck(after: delay) }
    }

    // MARK: Notices

    /// Delivers notices to observers on the delivery context, in order.
    private func deliverNotices() {
        guard let delivery = core.delivery, !delivery.isCurrent else {
            if state.withLock({ $0.activity?.notices.begin() ?? false }) { drainNotices() }
            return
        }
        guard state.withLock({ $0.activity?.notices.schedule() ?? false }) else { return }
        delivery.submit {
            if self.state.withLock({ $0.activity?.notices.beginScheduled() ?? false }) { self.drainNotices() }
        }
    }

    private func drainNotices() {
        while let due = state.withLock({ $0.activity?.notices.next() }) {
            for pending in due {
                pending.program?.deliver(for: self)
                if let change = pending.change { core.table.post(change) }
            }
        }
        didDrain()
    }

    /// The queues are empty: perhaps nothing needs the resource any more.
    private func didDrain() {
        let isChanged = state.withLock { state in
            state.trim()
            return state.isNeeded != core.table.isNeeded(state.need)
        }
        if isChanged { core.table.update(self) }
    }

    // MARK: Operations

    /// Runs operations in store and caches, in order, unless another thread already does.
    private func runOperations() {
        guard state.withLock({ $0.activity?.operations.begin() ?? false }) else { return }
        while let due = state.withLock({ $0.activity?.operations.next() }) { for operation in due { run(operation) } }
        didDrain()
    }

    private var link: ResourceLink { ResourceLink(self) }

    private func run(_ operation: StoreOperation) {
        let (store, record) = (environment.store, tags.record)
        switch operation {
        case .lookUp(let number):
            if let program = core.program, hasURL { return program.lookUp(number, for: self) }
            let purges = tags.purgeCount
            store?.lookUp(uri) { [link] records in
                link.resource?.perform { $0.finishLookUp(number, records, since: purges) }
            }
        case .commit(let stored, let parts, let purges):
            var record = record(stored, purges)
            record.otherParts = parts
            store?.commit(record) { [link] in if $0 { link.resource?.didBecomeDurable() } }
            stored.knownRenditions?.didCommit(stored)
        case .freshen(let stored, let purges):
            store?.freshen(record(stored, purges)) { [link] in if $0 { link.resource?.didBecomeDurable() } }
            stored.knownRenditions?.didCommit(stored)
        case .invalidate(let completion):
            if let store { store.invalidate(uri, durable: completion) } else { completion(true) }
        case .remove(let partition, let selection):
            store?.remove(uri, partition: partition, selection: selection)
        case .commitLocal(let stored, let purges, let completion):
            guard let store else { return completion(false) }
            store.commit(record(stored, purges), durable: completion)
        case .removeAll(let completion):
            if let store { store.remove(uri, completion) } else { completion(0) }
        case .program(let work):
            work(self)
        }
    }

    /// The store has written a record, or a rendition of one.
    func didBecomeDurable() {
        perform { if $0.isWatched || $0.state.isObserved { $0.emit(.durable) } }
    }

    // MARK: Timers

    /// Checks again when the next remembered outcome expires; one timer at a time.
    private func recheck(after delay: Duration) {
        let isNew = state.withLock { state in
            defer { state.hasTimer = true }
            return !state.hasTimer
        }
        guard isNew else { return }
        environment.timekeeper.after(delay + .milliseconds(1)) { [link] in
            guard let resource = link.resource else { return }
            resource.state.withLock { $0.hasTimer = false }
            let next = resource.perform { transition in
                transition.decider.state.activity?.outcomes.expire(transition.decider.context)
            }
            if let next { resource.recheck(after: next) }
        }
    }
}
