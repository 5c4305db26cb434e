import HTTPCaching
public import HTTPCore
import Locking

/// One URL: what is known of it, and the one place where it is loaded (S-013, S-068).
///
/// Safe from any thread. A pure state machine stands behind a lock; what follows from an event is done after the lock is
/// let go: first the table learns the new snapshot, then requests are answered, then observers and the store, in order.
///
/// Whoever holds it keeps it and what it loads. Loads, requests, timers and the store refer to it weakly: without a holder
/// and without its service it ends, its loads with it.
public final class Resource: Sendable {
    /// A number of its own within the process.
    public let id: UInt64
    public let uri: TargetURI
    let core: ServiceCore
    let hash: UInt64
    /// Why every request fails; nil for a resource of a URL.
    let failure: InvalidURL?
    private let state: Lock<ResourceState>

    init(id: UInt64, uri: TargetURI, hash: UInt64, core: ServiceCore, failure: InvalidURL? = nil) {
        self.failure = failure
        self.id = id
        self.uri = uri
        self.hash = hash
        self.core = core
        state = Lock(
            ResourceState(id: id, uri: uri, hash: hash, hasStore: core.table.environment.store != nil)
        )
    }

    deinit {
        core.table.forget(id, hash, uri)
        var effects = Effects()
        let now = environment.timekeeper.now
        state.withLock { $0.end(now, &effects) }
        for load in effects.cancels { load.cancel() }
        Delivery.deliver(effects.answers)
        for (request, outcome) in effects.completions { request.complete(outcome) }
        core.table.settle(entered: [], left: effects.left)
    }

    /// The service it belongs to; a new face of it if the program has dropped the one it had.
    public var service: Service { core.service }

    private var environment: CoreEnvironment { core.table.environment }

    // MARK: What it shows

    /// The state at this moment.
    public var snapshot: ResourceSnapshot {
        let generation = core.table.configurationGeneration
        let (snapshot, isCurrent) = state.withLock { ($0.snapshot, $0.generation >= generation || $0.isEmpty) }
        return isCurrent ? snapshot : perform { state, _, _ in state.snapshot }
    }
    /// The most recently stored response of the shared partition, or what `load` brought later.
    ///
    /// Reading it starts no look-up.
    public var latestResponse: StoredResponse? { snapshot.latestResponse }
    public var latestError: ResourceError? { snapshot.latestError }
    public var isLoading: Bool { snapshot.isLoading }
    public var isRequesting: Bool { snapshot.isLoading }
    /// When data or error last changed; nil if there is neither (S-072).
    public var timestamp: MonotonicTime? {
        let snapshot = snapshot
        return [snapshot.latestResponse?.receivedAt, snapshot.latestError?.time].compactMap { $0 }.max()
    }

    /// What the table publishes: the snapshot, and whether nothing needs this object.
    var publication: (snapshot: ResourceSnapshot, isIdle: Bool, isInUse: Bool) {
        state.withLock { ($0.snapshot, $0.isIdle, $0.isInUse) }
    }

    // MARK: Configuration

    /// What is configured for GET (S-048).
    public var configuration: EffectiveConfiguration { configuration(for: .get) }

    /// What is configured for requests with `method`, and by what; found out once per method and change of the
    /// configuration (S-045).
    public func configuration(for method: Method) -> EffectiveConfiguration {
        let generation = core.table.configurationGeneration
        if failure != nil { return InvalidURL.configuration }
        if let known = state.withLock({ $0.configuration(for: method, generation) }) { return known }
        let effective = core.register.effective(for: uri, method)
        state.withLock { $0.note(effective, for: method, generation) }
        return effective
    }

    // MARK: Requests of clients

    /// Answers a GET or HEAD, or lets it wait (resource-core.md §1).
    ///
    /// Where a pipeline applies the answer is the derived response.
    public func attend(_ request: ClientRequest, by attendant: any Attendant) -> Attending {
        if request.isHead, case let head = configuration(for: .head), head.isNeverCached {
            return .answered(ResourceState.uncached(request, mayLoad: head.values.mode.mayLoad), nil)
        }
        let configuration = configuration.values
        var request = request
        request.prepare(configuration, environment)
        guard let form = request.form else { return place(request, by: attendant) { _ in } }
        let deriving = DerivingAttendant(attendant, form, self, configuration)
        let attending = place(request, by: deriving, deriving.expect)
        guard case .answered(let answer, let made) = attending else { return attending }
        var attendance = made
        let derived = deriving.derive(answer) {
            let waiting = made ?? Attendance(request: request, attendant: attendant, resource: self)
            attendance = waiting
            return waiting
        }
        if let derived { return .answered(derived, attendance) }
        guard let attendance else { return .answered(.pass(.tooManyWaiters), nil) }
        return .waiting(attendance)
    }

    /// Asks for the original; `expect` is told what waits for it, before that is answered.
    private func place(
        _ request: ClientRequest,
        by attendant: any Attendant,
        _ expect: (Attendance) -> Void
    ) -> Attending {
        perform { state, circumstances, effects in
            var made: Attendance?
            let answer = state.place(
                request,
                {
                    let attendance = Attendance(request: request, attendant: attendant, resource: self)
                    made = attendance
                    expect(attendance)
                    return attendance
                },
                circumstances,
                &effects
            )
            if let answer {
                _ = made?.takeAttendant()
                return .answered(answer, made)
            }
            guard let made else { return .answered(.pass(.tooManyWaiters), nil) }
            return .waiting(made)
        }
    }

    // MARK: Forms

    /// A form is served for the first time: hits may get it on the shortest way.
    func formsDidChange() { perform { state, _, effects in state.refreshSnapshot(&effects) } }

    /// A transformer failed: the data stays, the resource shows the error.
    func formDidFail(_ error: ResourceError) { perform { $0.failForm(error, $1, &$2) } }

    /// A form of a response in memory takes memory of its own.
    func formDidEnter(_ content: DerivedContent) { core.table.settle(entered: content) }

    /// A form is not kept any more.
    func formDidLeave(_ content: DerivedContent) {
        environment.eviction?.didRemove(content)
        formsDidChange()
    }

    func cancel(_ attendance: Attendance) {
        perform { $0.leave(attendance, $1, &$2) }
    }

    /// A passed HEAD was answered: the stored response is freshened, or to be validated, if that answer says so (C-21.7).
    ///
    /// - Parameter request: the HEAD; its arrival counts as the time it was sent.
    public func didReceiveHead(_ head: ResponseHead, for request: ClientRequest) {
        var request = request
        request.prepare(configuration.values, environment)
        perform { $0.receiveHead(head, for: request, $1, &$2) }
    }

    // MARK: The model's face

    /// Starts a load, even if one is running (S-093).
    @discardableResult
    public func load() -> Request {
        perform { state, circumstances, effects in
            let request = Request(self)
            state.load(request, circumstances, &effects)
            return request
        }
    }

    /// The running load, or a new one if the data is not up to date; nil if it is (S-087).
    @discardableResult
    public func loadIfNeeded() -> Request? {
        perform { state, circumstances, effects in
            state.loadIfNeeded({ Request(self) }, circumstances, &effects)
        }
    }

    /// `request` was cancelled and is completed.
    func cancel(_ request: Request) {
        perform { $0.leave(request, $1, &$2) }
    }

    /// Whether the data is as fresh as the configuration asks (S-084).
    public var isUpToDate: Bool { perform { state, circumstances, _ in state.isUpToDate(circumstances) } }

    /// Marks what is held, here and in the store: validate before use (S-201).
    ///
    /// `completion` once that is durable.
    public func invalidate(_ completion: @escaping @Sendable (Bool) -> Void = { _ in }) {
        perform { $0.invalidate(completion, $1, &$2) }
    }

    /// Drops what is in memory (S-203); loads under way serve those who have joined and commit nothing.
    public func wipe() {
        perform { $0.wipe(hasStore: $1.environment.store != nil, $1, &$2) }
    }

    /// Drops everything, here and in the store; `completion` with the number of records removed there, once that is
    /// durable.
    public func purge(_ completion: @escaping @Sendable (Int) -> Void = { _ in }) {
        perform { $0.purge(completion, $1, &$2) }
    }

    /// Replaces the data by content of our own, up to date for the expiration time (S-199); the store's copies go.
    ///
    /// - Parameter fields: what clients get; validators, length and dates of a former response do not belong there.
    public func overrideLocalData(_ content: [UInt8], fields: Fields, status: UInt16 = 200) {
        perform { state, circumstances, effects in
            let stored = StoredResponse.local(content, fields, status, self, circumstances)
            state.override(with: stored, circumstances, &effects)
        }
    }

    // MARK: Observers

    /// Adds an observer that owns itself: it is held weakly.
    ///
    /// It gets `observerAdded` inside this call (S-207).
    @discardableResult
    public func addObserver(_ observer: any ResourceObserver) -> Resource { addObserver(observer, owner: observer) }

    /// Adds an observer that lives as long as `owner`, or gives it a further owner (S-210, S-211).
    @discardableResult
    public func addObserver(_ observer: any ResourceObserver, owner: any AnyObject & Sendable) -> Resource {
        let change = perform { state, circumstances, effects -> ResourceChange? in
            guard state.observers.add(observer, owner: owner) else { return nil }
            state.beginLookUp(&effects)
            state.refreshSnapshot(&effects)
            return ResourceChange(sequence: state.sequence, event: .observerAdded, state: state.snapshot)
        }
        if let change { observer.resourceChanged(self, change) }
        return self
    }

    /// Adds a closure that is called as long as `owner` lives.
    @discardableResult
    public func addObserver(
        owner: any AnyObject & Sendable,
        _ body: @escaping @Sendable (Resource, ResourceChange) -> Void
    ) -> Resource {
        addObserver(ClosureObserver(body), owner: owner)
    }

    /// Takes `owner` from the observers; those without another get `stoppedObserving` (S-212).
    public func removeObservers(ownedBy owner: any AnyObject & Sendable) {
        let identity = ObjectIdentifier(owner)
        perform { state, circumstances, effects in
            for observer in state.observers.remove(ownedBy: identity) { state.errands.append(.stopped(observer)) }
            effects.isChanged = true
            for number in state.loads.map(\.number) { state.reconsider(number, circumstances, &effects) }
        }
    }

    // MARK: What loads bring

    func load(_ load: Load, didReceiveInterim head: ResponseHead) {
        Delivery.deliver(head, to: state.withLock { $0.waiters(of: load.number) })
    }

    func load(_ load: Load, didReceive head: ResponseHead, begin: (GrowingBody) -> Void) {
        if head.status == 304 {
            notModified(load, head)
        } else if let record = state.withLock({ state in state.index(of: load.number).map { state.loads[$0] } }) {
            let circumstances = circumstances
            let arriving = Arriving(record, head, circumstances)
            begin(arriving.received)
            perform(circumstances) { state, circumstances, effects in
                state.receive(arriving.arrival, arriving.sharing, from: load.number, circumstances, &effects)
            }
        }
    }

    private func notModified(_ load: Load, _ head: ResponseHead) {
        perform { state, circumstances, effects in
            guard let index = state.index(of: load.number) else { return }
            let record = state.loads[index]
            if record.offered.isEmpty {
                let failure = ExchangeFailure(
                    .protocolError,
                    "the origin answered 304 to a request without conditions",
                    responseHadBegun: true
                )
                return state.fail(load.number, failure, circumstances, &effects)
            }
            guard case .freshens(let offer) = Freshening.match(head.fields, offered: record.offered.map(\.metadata)),
                record.offered.indices.contains(offer)
            else { return state.reload(load.number, circumstances, &effects) }
            let old = record.offered[offer]
            let (freshened, isKept) = old.freshened(
                by: head,
                record.request,
                sentAt: load.sentAt,
                number: load.number,
                circumstances
            )
            // A cookie the origin sets is the causing request's, whatever is kept.
            let isPersonal = head.fields.contains(.setCookie)
            let own =
                isPersonal
                ? old.freshened(
                    by: head,
                    record.request,
                    sentAt: load.sentAt,
                    number: load.number,
                    keepsSetCookie: true,
                    circumstances
                ).0 : freshened
            state.receiveNotModified(
                freshened,
                forLeader: own,
                replacing: old,
                isKept: isKept,
                isForAll: isKept && !isPersonal,
                from: load.number,
                circumstances,
                &effects
            )
        }
    }

    /// The content is complete, and in the form in which it is stored.
    func load(_ load: Load, didSeal body: RecordBody?) {
        perform { state, circumstances, effects in
            guard let index = state.index(of: load.number) else { return }
            var stored = body.flatMap { StoredResponse.loaded(state.loads[index], $0, self) }
            if let made = stored, state.loads[index].arrival?.effective !== circumstances.effective {
                // Configured otherwise since the head came.
                stored = made.judged(circumstances)
                if stored.map({ !$0.isUsable(by: $0.metadata) }) ?? true { state.loads[index].arrival?.partition = nil }
            }
            state.finish(load.number, stored, circumstances, &effects)
        }
    }

    /// The content could not be redacted.
    func load(_ load: Load, didFailRedaction failure: RunFailure) {
        perform { state, circumstances, effects in
            state.failRedaction(load.number, failure.error(at: circumstances.now), circumstances, &effects)
        }
    }

    func load(_ load: Load, didFail failure: ExchangeFailure) {
        perform { $0.fail(load.number, failure, $1, &$2) }
    }

    func reconsider(_ load: Load) {
        perform { $0.reconsider(load.number, $1, &$2) }
    }

    // MARK: Memory

    /// `stored` leaves memory.
    func drop(_ stored: StoredResponse) {
        _ = perform { $0.drop(stored, hasStore: $1.environment.store != nil, &$2) }
        if stored.wasUsed { environment.store?.touch(uri) }
    }

    /// What `stored` keeps of its content turned out to be damaged: it is not served again, and the store is asked anew.
    public func contentIsDamaged(_ stored: StoredResponse) {
        if let content = stored.derivation { return content.discard() }
        perform { state, circumstances, effects in
            let dropped = state.drop(stored, hasStore: circumstances.environment.store != nil, &effects)
            effects.left.append(dropped ?? stored)
        }
    }

    /// Drops what is in memory if nobody observes or loads; the store keeps its copies (S-017).
    func flush() {
        perform { state, circumstances, effects in
            guard state.observers.isEmpty, state.loads.isEmpty else { return }
            effects.left += state.variants
            for stored in state.variants {
                state.drop(stored, hasStore: circumstances.environment.store != nil, &effects)
            }
        }
    }

    // MARK: Running

    private var circumstances: Circumstances {
        // The number first: what is found out then is of this generation or a later one.
        let generation = core.table.configurationGeneration
        return Circumstances(
            now: environment.timekeeper.now,
            wallNow: environment.timekeeper.wallNow,
            effective: configuration,
            generation: generation,
            environment: environment,
            isWatched: core.table.isWatched,
            resource: self
        )
    }

    /// Changes the state, then does what follows from it.
    private func perform<R>(_ body: (inout ResourceState, Circumstances, inout Effects) -> R) -> R {
        perform(circumstances, body)
    }

    private func perform<R>(
        _ circumstances: Circumstances,
        _ body: (inout ResourceState, Circumstances, inout Effects) -> R
    ) -> R {
        var circumstances = circumstances
        var effects = Effects()
        let result = state.withLock { state in
            state.adopt(&circumstances, &effects)
            return body(&state, circumstances, &effects)
        }
        run(effects)
        return result
    }

    private func run(_ effects: Effects) {
        if effects.isChanged { core.table.update(self) }
        for load in effects.cancels { load.cancel() }
        for body in effects.unread { body.flowUnread() }
        Delivery.deliver(effects.answers)
        for (request, outcome) in effects.completions { request.complete(outcome) }
        for load in effects.starts { load.start() }
        runErrands()
        core.table.settle(entered: effects.entered, left: effects.left)
        if let delay = effects.recheckAfter { recheck(after: delay) }
    }

    /// Does errands one after another, unless another thread is at it.
    private func runErrands() {
        guard
            state.withLock({ state in
                guard !state.isRunningErrands, !state.errands.isEmpty else { return false }
                state.isRunningErrands = true
                return true
            })
        else { return }
        while let errands = nextErrands() { for errand in errands { run(errand) } }
        if publication.isIdle { core.table.update(self) }
    }

    private func nextErrands() -> [Errand]? {
        state.withLock { state in
            guard !state.errands.isEmpty else {
                state.isRunningErrands = false
                return nil
            }
            defer { state.errands = [] }
            return state.errands
        }
    }

    private func run(_ errand: Errand) {
        let store = environment.store
        switch errand {
        case .tell(let observers, let change):
            for observer in observers { observer.resourceChanged(self, change) }
            core.table.post(change)
        case .stopped(let observer):
            observer.stoppedObserving(self)
        case .lookUp(let number):
            lookUp(number)
        case .commit(let stored):
            store?.commit(stored.record) { [weak self] in if $0 { self?.didBecomeDurable() } }
        case .freshen(let stored):
            store?.freshen(stored.record) { [weak self] in if $0 { self?.didBecomeDurable() } }
        case .invalidate(let completion):
            if let store { store.invalidate(uri, durable: completion) } else { completion(true) }
        case .remove(let partition, let selection):
            store?.remove(uri, partition: partition, selection: selection)
        case .removeAll(let completion):
            if let store { store.remove(uri, completion) } else { completion(0) }
        }
    }

    private func lookUp(_ number: UInt64) {
        environment.store?.lookUp(uri) { [weak self] records in
            self?.perform { $0.finishLookUp(number, records, $1, &$2) }
        }
    }

    private func didBecomeDurable() {
        perform { state, circumstances, effects in
            if circumstances.isWatched || !state.observers.isEmpty { state.emit(.durable, circumstances, &effects) }
        }
    }

    /// Looks again, once what is remembered is due to be forgotten; one timer at a time.
    private func recheck(after delay: Duration) {
        let isNew = state.withLock { state in
            defer { state.hasTimer = true }
            return !state.hasTimer
        }
        guard isNew else { return }
        environment.timekeeper.after(delay + .milliseconds(1)) { [weak self] in
            guard let self else { return }
            state.withLock { $0.hasTimer = false }
            if let next = perform({ $0.expire($1, &$2) }) { recheck(after: next) }
        }
    }
}
