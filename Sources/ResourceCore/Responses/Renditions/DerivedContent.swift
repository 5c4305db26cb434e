import Configurations
import Exchanges
import HTTPCaching
import HTTPCore
import Locking
import Outcomes
import Stores
import Transforms

/// One rendition of an original's content; made once for all requests that wait.
///
/// Safe from any thread; results are delivered under no lock.
final class DerivedContent: MemoryEntry, Sendable {
    /// A request that waits for a head, or follows.
    struct PendingRendition: Sendable {
        let waiter: Waiter
        let original: OriginalResponse
        let outcome: CacheOutcome
    }

    enum Joining {
        case answered(CacheResult)
        case waiting
        /// This content ended without a result; the caller tries a new one.
        case over
    }

    struct State {
        var ready: PipelineRun.Ready?
        var waiting: [PendingRendition] = []
        var followers: Set<ObjectIdentifier> = []
        /// The run has ended.
        var isEnded = false
        var isDropped = false
        var digest: String?
        /// Receives the output of the run; released once that is complete.
        var output: GrowingBody?
        /// Redacts the content of the original, if that is not done.
        var redaction: PipelineRun?
        /// That failed: its load reports it to observers.
        var hasNoSource = false
        /// The complete content.
        var finalized: RecordBody?
        /// Requests that wait for the head of an original, by its identity.
        var heads: [ObjectIdentifier: [PendingRendition]] = [:]
        /// The store has it, or was given it.
        var isStored = false
        /// The original's record, from when this is complete until it is stored: the original may leave memory
        /// meanwhile.
        var record: StoredRecord?
    }

    let key: RenditionKey
    let identity: UInt64
    let plan: PipelinePlan
    /// The origin's fields of the original.
    let fields: Fields
    private let options: CachingOptions
    let environment: CoreEnvironment
    /// Weak: this object keeps neither the renditions nor, once made, the original.
    weak let renditions: Renditions?
    weak let delegate: (any RenditionDelegate)?
    /// The original, if it was stored already.
    weak let original: StoredResponse?
    let run: PipelineRun
    let state: Lock<State>
    private let hits = HitCount()

    init(
        _ plan: PipelinePlan,
        _ original: OriginalResponse,
        _ hash: UInt64,
        _ delegate: (any RenditionDelegate)?,
        _ configuration: Configuration,
        _ environment: CoreEnvironment
    ) {
        self.plan = plan
        self.delegate = delegate
        if case .stored(let stored) = original { self.original = stored } else { self.original = nil }
        fields = original.fields
        renditions = original.renditions
        key = plan.rendition.key
        options = configuration.caching
        self.environment = environment
        var hasher = Hasher()
        hasher.combine(hash)
        if case .stored(let stored) = original { hasher.combine(stored.identity) }
        hasher.combine(key)
        identity = UInt64(truncatingIfNeeded: hasher.finalize())
        let link = Link()
        let credit = configuration.body.ahead
        let run = PipelineRun(
            plan,
            head: original.head,
            source: original.source,
            part: original.isRedacted ? .afterStore : .whole,
            hasContent: original.hasContent,
            credit: credit,
            environment: environment.transforms
        ) { result in link.target?.didEnd(result) }
        let keeper = environment.store.flatMap { $0.mayKeep(original.partition) ? $0 : nil }
        let makeWriter: @Sendable (Int64?) -> (any BodyWriter)? = { keeper?.makeBody(expected: $0) }
        let output = GrowingBody(
            limits: configuration.body,
            expected: nil,
            isShared: original.isShared,
            granted: credit,
            makeWriter: original.isKept ? makeWriter : nil,
            grant: { [weak run] bytes in run?.grant(bytes) },
            lostStore: {}
        )
        self.run = run
        var initial = State()
        initial.output = output
        if case .loaded(let loaded) = original { initial.redaction = loaded.redaction }
        state = Lock(initial)
        link.set(self)
    }

    // MARK: Making

    /// Reads it from the store, or begins to make it; called once.
    func start(of original: OriginalResponse) {
        guard case .stored(let stored) = original, let store = environment.store else { return make() }
        store.lookUp(key.name, of: stored.record) { rendition in
            if let rendition { self.restore(rendition, of: stored) } else { self.make() }
        }
    }

    func make() {
        environment.renditions.noteRun()
        let (output, redaction) = state.withLock { state in
            defer { state.redaction = nil }
            return (state.output, state.redaction)
        }
        guard let output else { return }
        run.whenReady { ready in self.didBecomeReady(ready) }
        output.whenFinalized { body in self.didFinalize(body) }
        guard let redaction else { return run.start(into: output) }
        redaction.whenReady { ready in
            if case .failed(let failure) = ready {
                self.state.withLock { $0.hasNoSource = true }
                self.run.fail(failure, output)
            } else {
                self.run.start(into: output)
            }
        }
    }

    func didBecomeReady(_ ready: PipelineRun.Ready) {
        let waiting = state.withLock { state in
            if state.ready == nil { state.ready = ready }
            defer { state.waiting = [] }
            // They become followers first, so that no request that leaves can end the run.
            for pending in state.waiting { state.followers.insert(ObjectIdentifier(pending.waiter)) }
            return state.waiting
        }
        deliver(waiting)
        persist()
    }

    private func didEnd(_ result: Result<String?, RunFailure>) {
        switch result {
        case .success(let digest):
            state.withLock { state in
                state.isEnded = true
                state.digest = digest
            }
        case .failure(let failure):
            let isOwn = state.withLock { state in
                state.isEnded = true
                state.ready = .failed(failure)
                state.output = nil
                return !state.hasNoSource
            }
            // A failure that would repeat is remembered; others are tried again.
            guard case .transformation = failure else { return discard() }
            if isOwn { delegate?.renditionDidFail(failure.error(at: environment.timekeeper.now)) }
        }
    }

    private func didFinalize(_ body: RecordBody?) {
        let isOutput = state.withLock { state in
            if case .changed = state.ready { return true }
            return state.ready == nil
        }
        guard isOutput else { return }
        guard let body else { return discard() }
        let output = state.withLock { state in
            state.finalized = body
            defer { if case .bytes = body { state.output = nil } }
            return state.output
        }
        if case .file = body { output?.releaseMemory() }
        noteOriginal()
        if renditions?.isInMemory(self) ?? false { delegate?.renditionDidEnter(self) }
        persist()
    }

    /// Removes it from the renditions: no further request gets it.
    func discard() {
        state.withLock { $0.isDropped = true }
        if renditions?.remove(self) ?? false { delegate?.renditionDidLeave(self) }
    }

    // MARK: Requests

    /// Whether a new reader gets all of it.
    var acceptsReaders: Bool {
        let (ready, finalized, output, isDropped) = state.withLock { ($0.ready, $0.finalized, $0.output, $0.isDropped) }
        if isDropped { return false }
        switch ready {
        case nil, .failed, .unchanged, .passed(byOutput: false): return true
        case .changed, .passed(byOutput: true): return finalized != nil || output?.acceptsReaders ?? false
        }
    }

    /// Returns the result of a request, or makes it wait.
    ///
    /// - Parameter isNew: whether the content was made for this request.
    func join(_ pending: PendingRendition, isNew: Bool) -> Joining {
        let isReady: Bool? = state.withLock { state in
            // The other requests left while this one came: it is made anew.
            if case .failed(.cancelled) = state.ready { return nil }
            // A failure that may be temporary is tried again, once for each request.
            if isNew, case .failed = state.ready { return true }
            if state.isDropped { return nil }
            if state.ready != nil {
                state.followers.insert(ObjectIdentifier(pending.waiter))
                return true
            }
            state.waiting.append(pending)
            return false
        }
        guard let isReady else { return .over }
        guard isReady else { return .waiting }
        return answer(pending, isRemembered: !isNew).map { .answered($0) } ?? .waiting
    }

    /// A request has left.
    ///
    /// After the last one, the run stops.
    func leave(_ waiter: Waiter) {
        let key = ObjectIdentifier(waiter)
        let isUnwanted = state.withLock { state in
            state.waiting.removeAll { $0.waiter === waiter }
            for original in state.heads.keys { state.heads[original]?.removeAll { $0.waiter === waiter } }
            state.followers.remove(key)
            // Also if it was dropped meanwhile: nothing else would stop the run.
            guard !state.isEnded, state.waiting.isEmpty, state.followers.isEmpty else { return false }
            state.isDropped = true
            return true
        }
        guard isUnwanted else { return }
        run.cancel()
        discard()
    }

    private func deliver(_ waiting: [PendingRendition]) {
        let results = waiting.compactMap { pending in
            answer(pending, isRemembered: false).map { WaiterResult(pending.waiter, $0) }
        }
        Delivery.deliver(results)
        for result in results {
            // A request without content no longer needs its load.
            if case .failure = result.result { result.waiter.leaveLoad() }
        }
    }

    /// The result; nil if the head has to be made first: then it comes later.
    private func answer(_ pending: PendingRendition, isRemembered: Bool) -> CacheResult? {
        guard let ready = state.withLock({ $0.ready }) else { return nil }
        switch ready {
        case .failed(let failure):
            if case .transformation = failure, let former = former(for: pending) { return former }
            let error = failure.error(at: environment.timekeeper.now)
            return .failure(isRemembered ? error.remembered : error)
        case .passed(byOutput: false):
            return pending.original.untouched(pending.outcome)
        case .passed(byOutput: true):
            if case .stored = pending.original { return pending.original.untouched(pending.outcome) }
            return follow(pending, pending.original.head)
        case .changed(let outline), .unchanged(let outline):
            if case .stored(let stored) = pending.original, stored.fields != fields {
                return answerWithOwnHead(pending, stored)
            }
            return answer(pending, outline)
        }
    }

    /// The rendition of the former response, if it may stand in for an error (C-7.2).
    private func former(for pending: PendingRendition) -> CacheResult? {
        guard let former = pending.original.renditions.former(key) else { return nil }
        let verdict = former.metadata.staleVerdict(
            after: .status(502),
            for: pending.waiter.request.directives,
            ageSeconds: former.currentAge(at: environment.timekeeper.now),
            isInvalidated: former.isInvalidated,
            options: options
        )
        guard case .serve(let reason) = verdict else { return nil }
        var outcome = pending.outcome
        outcome.detail = reason.rawValue
        return .stored(former, outcome)
    }

    private func answer(_ pending: PendingRendition, _ outline: PipelinePlan.Outline) -> CacheResult {
        let (ready, finalized, digest) = state.withLock { ($0.ready, $0.finalized, $0.digest) }
        let fields = DerivedHead.fields(outline, of: pending.original.fields, key, digest: digest)
        let head = EntityHead(status: outline.head.status, fields: fields)
        if case .unchanged = ready {
            switch pending.original {
            case .stored(let stored):
                return .stored(respond(stored, head, stored.body), pending.outcome)
            case .loaded(let loaded):
                let length =
                    outline.changesContent ? loaded.body.completeCount : loaded.contentLength
                let response = pending.original.following(head, loaded.body, contentLength: length, options)
                return .following(response, pending.outcome)
            }
        }
        if let finalized, case .stored(let stored) = pending.original {
            return .stored(respond(stored, head, finalized), pending.outcome)
        }
        return follow(pending, head)
    }

    /// The response that serves `stored` with this content; made once.
    private func respond(_ stored: StoredResponse, _ head: EntityHead, _ body: RecordBody) -> StoredResponse {
        if let known = stored.renditions.derived(of: stored, key) { return known }
        let derived = stored.derived(head, body, self, options)
        stored.renditions.keep(derived, of: stored, self)
        delegate?.renditionsDidChange()
        return derived
    }

    private func follow(_ pending: PendingRendition, _ head: EntityHead) -> CacheResult {
        let (output, finalized) = state.withLock { ($0.output, $0.finalized) }
        guard let body = output ?? finalized.flatMap({ GrowingBody(complete: $0) }) else {
            return .failure(RunFailure.cancelled.error(at: environment.timekeeper.now))
        }
        let response = pending.original.following(head, body, contentLength: body.completeCount, options)
        return .following(response, pending.outcome)
    }

    // MARK: Heads of other originals

    /// After the original was freshened, its head is derived anew; the content stays.
    private func answerWithOwnHead(_ pending: PendingRendition, _ stored: StoredResponse) -> CacheResult? {
        if let known = stored.renditions.derived(of: stored, key) { return .stored(known, pending.outcome) }
        let isFirst = state.withLock { state in
            state.heads[ObjectIdentifier(stored), default: []].append(pending)
            return state.heads[ObjectIdentifier(stored)]?.count == 1
        }
        guard isFirst else { return nil }
        if environment.transforms.workers?.submit({ self.makeHead(of: stored) }) ?? false { return nil }
        // Requests that joined meanwhile get the same result.
        let failure = CacheResult.failure(RunFailure.overloaded.error(at: environment.timekeeper.now))
        let others = state.withLock { $0.heads.removeValue(forKey: ObjectIdentifier(stored)) ?? [] }
        Delivery.deliver(others.filter { $0.waiter !== pending.waiter }.map { WaiterResult($0.waiter, failure) })
        return failure
    }

    /// Runs the steps on the head, without content.
    func beginHead(of stored: StoredResponse) -> Result<PipelinePlan.Begun, TransformationFailure> {
        let timekeeper = environment.timekeeper
        let budget = TransformBudget(limit: plan.rendition.limits.time) { timekeeper.now }
        budget.open()
        do throws(TransformationFailure) {
            let head = EntityHead(status: stored.status, fields: stored.fields)
            return .success(
                try plan.begin(
                    head,
                    part: stored.rendition.isEmpty ? .whole : .afterStore,
                    hasContent: false,
                    budget: budget,
                    decoder: environment.transforms.decoder
                )
            )
        } catch {
            return .failure(error)
        }
    }

    private func makeHead(of stored: StoredResponse) {
        let timekeeper = environment.timekeeper
        let begun = beginHead(of: stored)
        let waiting = state.withLock { $0.heads.removeValue(forKey: ObjectIdentifier(stored)) ?? [] }
        Delivery.deliver(
            waiting.map { pending in
                switch begun {
                case .success(let begun): WaiterResult(pending.waiter, answer(pending, begun.outline))
                case .failure(let failure):
                    WaiterResult(pending.waiter, .failure(RunFailure.transformation(failure).error(at: timekeeper.now)))
                }
            }
        )
    }

    // MARK: Use in memory

    /// Whether it uses memory of its own.
    var isCharged: Bool { state.withLock { $0.finalized != nil } }

    var cost: Int {
        let content =
            switch state.withLock({ $0.finalized }) {
            case .bytes(let bytes)?: bytes.count
            case .file?, nil: 0
            }
        return content + 2 * fields.bytes.count + 2048
    }

    var descriptorCount: Int { if case .file? = state.withLock({ $0.finalized }) { 1 } else { 0 } }

    /// Counts a hit of the rendition, which is a hit of the original, too.
    func noteUse() {
        hits.add()
        renditions?.hits.add()
    }

    func takeUses() -> Int { hits.takeUnseen() }
}

/// Leads from a run, which is made first, to its content.
private final class Link: Sendable {
    private struct Target { weak var content: DerivedContent? }

    private let state = Lock(Target())

    var target: DerivedContent? { state.withLock { $0.content } }
    func set(_ content: DerivedContent) { state.withLock { $0.content = content } }
}
