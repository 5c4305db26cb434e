import Exchanges
import HTTPCore
import Locking

/// Runs one response through a pipeline, in short jobs on worker threads.
///
/// A run reads its source only while there is room for output. So the origin is not asked for content that readers of
/// the output do not consume yet. Safe from any thread; one job at a time runs.
package final class PipelineRun: Sendable {
    /// The result that is known as soon as a head can be sent.
    package enum Ready: Sendable {
        /// `output` gets transformed content.
        case changed(PipelinePlan.Outline)
        /// Only the head changes.
        case unchanged(PipelinePlan.Outline)
        /// The content is too large, and the rule allows the original: from `output`, or else from the source itself.
        case passed(byOutput: Bool)
        case failed(RunFailure)
    }

    private enum Phase { case idle, queued, running, runningAgain, over }

    private struct State {
        var phase = Phase.idle
        /// A worker has run a job of it.
        var hasBegun = false
        /// The number of bytes that may still be output.
        var credit: Int
        var isCancelled = false
        /// The result, once it is announced.
        var ready: Ready?
        var waiting: [@Sendable (Ready) -> Void] = []
        /// There was no memory for the run; it is called when there may be some.
        var waitsForMemory = false
        /// The run has waited for memory as long as it may work.
        var hasWaitedForMemory = false
    }

    package let plan: PipelinePlan
    private let head: EntityHead
    private let part: PipelinePlan.Part
    private let hasContent: Bool
    private let workers: (any TransformWorkers)?
    private let decoder: (any StreamingTransformer)?
    private let budget: TransformBudget
    private let memory: TransformMemory
    private let timekeeper: any Timekeeper
    private let work: PipelineWork
    private let state: Lock<State>
    /// The output, until the run is over.
    private let body = Lock<GrowingBody?>(nil)
    /// Called once at the end, with the digest of the output if the original has no tag, or with the reason of the
    /// failure.
    private let onEnd: @Sendable (Result<String?, RunFailure>) -> Void

    /// - Parameter onEnd: called under no lock, on any thread; not after `cancel`.
    package init(
        _ plan: PipelinePlan,
        head: EntityHead,
        source: PipelineSource,
        part: PipelinePlan.Part,
        hasContent: Bool = true,
        credit: Int,
        environment: TransformEnvironment,
        onEnd: @escaping @Sendable (Result<String?, RunFailure>) -> Void
    ) {
        self.plan = plan
        self.head = head
        work = PipelineWork(source)
        self.part = part
        self.hasContent = hasContent
        workers = environment.workers
        decoder = environment.decoder
        memory = environment.memory
        let timekeeper = environment.timekeeper
        self.timekeeper = timekeeper
        budget = TransformBudget(limit: plan.rendition.limits.time) { timekeeper.now }
        state = Lock(State(credit: credit))
        self.onEnd = onEnd
    }

    /// Starts the run.
    ///
    /// Its bytes go to `output`, and the grants of `output` must go to `grant`.
    package func start(into output: GrowingBody) {
        body.withLock { $0 = output }
        schedule()
    }

    /// Ends a run that has not begun, since its source failed.
    package func fail(_ failure: RunFailure, _ output: GrowingBody) {
        body.withLock { $0 = output }
        end(.failure(failure))
    }

    /// Ends a run whose result already exists.
    ///
    /// Releases its source, unless the run is at work.
    package func abandon() {
        let isIdle = state.withLock { state in
            guard state.phase == .idle else { return false }
            state.phase = .over
            return true
        }
        if isIdle { work.clear() }
    }

    /// Calls `completion` once, when a head can be sent.
    ///
    /// If that is known, calls it inside this call.
    package func whenReady(_ completion: @escaping @Sendable (Ready) -> Void) {
        let ready = state.withLock { state in
            if state.ready == nil { state.waiting.append(completion) }
            return state.ready
        }
        if let ready { completion(ready) }
    }

    /// Allows `bytes` more bytes of output.
    package func grant(_ bytes: Int) {
        let wasDry = state.withLock { state in
            defer { state.credit += bytes }
            return state.credit <= 0
        }
        if wasDry { schedule() }
    }

    /// Cancels the run: it stops between two pieces.
    package func cancel() {
        budget.cancel()
        state.withLock { $0.isCancelled = true }
        schedule()
    }

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    // MARK: Jobs

    private func schedule() {
        let isNew = state.withLock { state in
            switch state.phase {
            case .idle:
                state.phase = .queued
                return true
            case .running:
                state.phase = .runningAgain
                return false
            case .queued, .runningAgain, .over:
                return false
            }
        }
        if isNew { submit() }
    }

    /// Asks for a worker; ends the run if there is none.
    private func submit() {
        // Readers may have output of a run that has begun: full workers must not cut it off.
        let hasBegun = state.withLock { $0.hasBegun }
        let isAccepted = hasBegun ? workers?.resume { self.job() } : workers?.submit { self.job() }
        // The phase prevents any other job from beginning.
        if isAccepted != true { end(.failure(.overloaded)) }
    }

    private func job() {
        let isWanted = state.withLock { state in
            guard state.phase == .queued else { return false }
            state.phase = .running
            state.hasBegun = true
            return true
        }
        guard isWanted else { return }
        budget.open()
        let result = progress()
        budget.close()
        switch result {
        case .over(let result): end(result)
        case .paused:
            let goesOn = state.withLock { state in
                defer { state.phase = state.phase == .runningAgain ? .queued : .idle }
                return state.phase == .runningAgain
            }
            if goesOn { submit() }
        case .more:
            state.withLock { $0.phase = .queued }
            submit()
        }
    }

    private enum Progress {
        case paused, more
        case over(Result<String?, RunFailure>)
    }

    /// Processes up to eight pieces.
    private func progress() -> Progress {
        do throws(RunFailure) {
            if isCancelled { return .over(.failure(.cancelled)) }
            if work.pump == nil { try begin() }
            guard try takeMemory() else { return .paused }
            for _ in 0..<8 {
                if isCancelled { return .over(.failure(.cancelled)) }
                try check()
                if let progress = try move() { return progress }
            }
            return .more
        } catch {
            return .over(.failure(error))
        }
    }

    /// Reserves memory if the run needs whole content; returns false if it must wait for some.
    private func takeMemory() throws(RunFailure) -> Bool {
        guard let pump = work.pump, pump.needsWholeContent, work.share == nil else { return true }
        let count = pump.beginsWithWholeContent ? work.source?.count : nil
        // Ask once per wait, however often the source wakes this run.
        let (mayAsk, hasWaited) = state.withLock { state in
            defer { state.waitsForMemory = true }
            return (!state.waitsForMemory, state.hasWaitedForMemory)
        }
        if hasWaited {
            memory.refuse()
            throw .outOfMemory
        }
        guard mayAsk else { return false }
        work.share = memory.share(for: count) { [weak self] in self?.memoryIsFree() }
        if work.share == nil, !work.isTimed {
            work.isTimed = true
            timekeeper.after(plan.rendition.limits.time) { [weak self] in self?.endWaitForMemory() }
        }
        return work.share != nil
    }

    /// Ends the wait for memory: the run that could release some may itself be waiting for this run.
    private func endWaitForMemory() {
        state.withLock { $0.hasWaitedForMemory = true }
        schedule()
    }

    private func memoryIsFree() {
        state.withLock { $0.waitsForMemory = false }
        schedule()
    }

    private func check() throws(RunFailure) {
        do {
            try budget.check()
        } catch {
            if isCancelled { throw .cancelled }
            let failure = TransformationFailure(of: plan, .limit, error.userMessage)
            throw .transformation(failure)
        }
    }

    private func begin() throws(RunFailure) {
        guard let source = work.source else { throw .cancelled }
        let begun: PipelinePlan.Begun
        do {
            begun = try plan.begin(head, part: part, hasContent: hasContent, budget: budget, decoder: decoder)
        } catch {
            throw .transformation(error)
        }
        let pump = PipelinePump(begun.filters, limits: plan.rendition.limits)
        work.begun = begun
        work.pump = pump
        work.passes = pump.passesOversize && !plan.redacts
        if begun.filters.isEmpty {
            // A redaction must not pass trailers on.
            let mustCopy = part == .beforeStore || plan.redacts && part == .whole
            guard hasContent, mustCopy else { return announce(.unchanged(begun.outline)) }
        }
        if let count = source.count, let first = begun.filters.first, pump.isOversize(count) {
            return try passOriginal(insteadOf: first)
        }
        let isGrowing = if case .growing(let body) = source { !body.isStorable } else { false }
        if work.passes, pump.needsWholeContent, isGrowing { work.retained = [] }
        let input = PipelineInput(source) { [weak self] in self?.schedule() }
        work.input = input
        work.keepAlive = self
        // Events are rare. Without this the client would learn only from the first event that the stream has begun.
        if begun.outline.head.isEventStream, !pump.needsWholeContent { announceChanged() }
    }

    /// Processes one piece; returns the result if that ends the job.
    private func move() throws(RunFailure) -> Progress? {
        guard let pump = work.pump, let input = work.input else { return .over(.success(nil)) }
        guard hasCredit else {
            announceChanged()
            return .paused
        }
        let step: PipelinePump.Step
        do {
            step = try pump.step()
        } catch {
            throw .transformation(error)
        }
        if let share = work.share, !share.covers(pump.wholeContent) {
            memory.refuse()
            throw .outOfMemory
        }
        switch step {
        case .moved(let bytes):
            put(bytes, from: pump)
        case .done:
            return .over(.success(digest))
        case .oversize(let filter):
            try passOriginal(insteadOf: filter)
        case .hungry:
            if work.isFed, !pump.needsWholeContent { announceChanged() }
            return try feed(pump, input)
        }
        return nil
    }

    private func feed(_ pump: PipelinePump, _ input: PipelineInput) throws(RunFailure) -> Progress? {
        switch input.next() {
        case .bytes(let chunk):
            work.isFed = true
            if pump.isEmpty { put(chunk.bytes, from: pump) } else { pump.feed(chunk) }
            work.retained?.append(chunk)
            return nil
        case .wait:
            return .paused
        case .end:
            pump.end()
            return nil
        case .failed(let failure):
            throw .interrupted(failure)
        }
    }

    private func put(_ bytes: [UInt8], from pump: PipelinePump) {
        guard !bytes.isEmpty else { return }
        if needsDigest { work.digest.update(bytes.span) }
        state.withLock { $0.credit -= bytes.count }
        body.withLock { $0 }?.append(ByteChunk(bytes))
        if !pump.needsWholeContent { announceChanged() }
    }

    /// If the origin gave a tag, no digest is needed.
    private var needsDigest: Bool { !head.fields.contains(.etag) }
    private var digest: String? { needsDigest ? work.digest.hex : nil }
    private var hasCredit: Bool { state.withLock { $0.credit > 0 } }

    // MARK: The original instead

    /// Outputs the original if all rules allow that for content that is too large for this filter.
    private func passOriginal(insteadOf filter: PipelinePlan.ActiveFilter) throws(RunFailure) {
        let failure = RunFailure.transformation(PipelinePump.tooLarge(filter, plan.rendition.limits.wholeContent))
        guard work.passes else { throw failure }
        let retained = work.retained
        work.retained = nil
        work.isPassing = true
        work.pump = PipelinePump([], limits: plan.rendition.limits)
        switch work.source {
        case .growing(let body)? where !(body.acceptsReaders && retained == nil):
            guard let retained else { throw failure }
            // The first of these pieces announces it.
            work.input?.unread(retained)
        case .stored?, .growing?, nil:
            announce(.passed(byOutput: false))
            work.close()
        }
    }

    // MARK: Announcing the result

    private func announceChanged() {
        guard let begun = work.begun else { return }
        announce(work.isPassing ? .passed(byOutput: true) : .changed(begun.outline))
    }

    private func announce(_ ready: Ready) {
        let waiting = state.withLock { state -> [@Sendable (Ready) -> Void] in
            guard state.ready == nil else { return [] }
            state.ready = ready
            defer { state.waiting = [] }
            return state.waiting
        }
        for completion in waiting { completion(ready) }
    }

    private func end(_ result: Result<String?, RunFailure>) {
        let isCancelled: Bool? = state.withLock { state in
            guard state.phase != .over else { return nil }
            state.phase = .over
            return state.isCancelled
        }
        guard let isCancelled else { return }
        let body = body.withLock { body in
            defer { body = nil }
            return body
        }
        switch result {
        case .success:
            // Announce the end before the head, so that the head can give the length.
            onEnd(result)
            body?.finish(trailers: nil)
            announceChanged()
        case .failure(let failure):
            body?.fail(failure.exchangeFailure)
            if !isCancelled { onEnd(result) }
            announce(.failed(failure))
        }
        work.close()
        work.clear()
    }
}
