public import HTTPCore
import Platform

/// One thread's events: descriptors, timers, work from other threads.
///
/// Bound to the thread that runs it, like everything made with it: streams, listeners, timers. Other threads hold its
/// `handle`. A turn waits for events, runs their callbacks, then what was put off to the end of the turn.
public final class EventLoop {
    /// What other threads may hold of this loop.
    public let handle: LoopHandle
    let base: EventBase
    let readBuffer = ReadBuffer()
    var sources = SourceList()
    let state: LoopState

    private var mailbox: Mailbox?
    private var signals: [Signals] = []
    private var isStopped = false

    /// A loop for the calling thread.
    ///
    /// - Parameter index: its number within its group.
    public convenience init(index: Int = 0) throws(EventError) { try self.init(index: index, clock: LoopClock()) }

    init(index: Int, clock: LoopClock) throws(EventError) {
        base = try EventBase()
        handle = try LoopHandle(index: index)
        state = LoopState(clock: clock, wheel: DeadlineWheel(now: (clock.manual ?? MonotonicTime.now).nanoseconds))
        Signal.ignoreBrokenPipes()
        handle.adoptThread()
        let mailbox = Mailbox(loop: self)
        self.mailbox = mailbox
        mailbox.register()
        mailbox.watchReads(true)
    }

    deinit {
        // A loop that never ran still has its mailbox.
        precondition(mailbox == nil, "a loop must be run to its end, or closed")
    }

    // MARK: Time

    /// The monotonic clock, read at most once per turn.
    public var now: MonotonicTime { state.clock.now() }

    /// The wall clock, read at most once per turn.
    public var wallNow: HTTPDate { state.clock.wallNow() }

    // MARK: Running

    /// The address of code that each event runs, for `ProcessMemory.enlargeCodePages(around:)`.
    public static var codeAddress: UInt { EventBase.callbackAddress }

    /// Runs until `stop()`; then every source of this loop is closed.
    public func run() {
        handle.adoptThread()
        while !isStopped { turn(mayBlock: true) }
        close()
    }

    /// Ends `run()` after the present turn.
    public func stop() { isStopped = true }

    /// One turn: waits for events if there is nothing to do, runs them, then the end of the turn.
    func turn(mayBlock: Bool) {
        armTimer()
        state.clock.invalidate()
        base.runOnce(mayBlock: mayBlock && !hasDeferredWork)
        handle.countTurn()
        if base.takeTimerFlag() {
            state.armedDeadline = nil
            fireDueTimers()
        }
        runEndOfTurn()
    }

    /// Closes all sources and drops all timers and work.
    func close() {
        handle.closeMailbox()
        for signal in signals { signal.cancel() }
        signals = []
        sources.closeAll()
        mailbox = nil
        // Taken out first: what they capture may use the loop once more when it goes.
        let last = (state.endOfTurn, state.dirtyStreams, state.timers, state.wheel, state.spareOutputs)
        state.spareOutput = nil
        state.endOfTurn = []
        state.dirtyStreams = []
        state.timers = TimerQueue()
        state.wheel = DeadlineWheel(now: 0)
        state.spareOutputs = []
        withExtendedLifetime(last) {}
    }

    // MARK: Deferred work

    /// Runs `work` when the callbacks of this turn are done; work deferred meanwhile runs in the next turn.
    public func atEndOfTurn(_ work: @escaping () -> Void) { state.endOfTurn.append(work) }

    func add(_ signals: Signals) { self.signals.append(signals) }

    func finishTurn(for stream: Stream) { state.dirtyStreams.append(stream) }

    private var hasDeferredWork: Bool { !state.endOfTurn.isEmpty || !state.dirtyStreams.isEmpty || isStopped }

    func runEndOfTurn() {
        if !state.endOfTurn.isEmpty {
            let works = state.endOfTurn
            state.endOfTurn = []
            for work in works { work() }
        }
        finishStreams()
    }

    /// How many streams that were written to may wait for the end of the turn.
    ///
    /// Sending for several at once wakes their peers less often; in a larger burst the first would wait for all of it, and
    /// the burst come back as one.
    private static let burst = 16

    /// Some bytes were delivered: has streams that were written to send if enough of them wait.
    func didDeliver() { if state.dirtyStreams.count >= Self.burst { finishStreams() } }

    /// Has streams that were written to send, and do what else was left for later.
    private func finishStreams() {
        guard !state.dirtyStreams.isEmpty else { return }
        var index = 0
        // What a stream's end of turn makes dirty is served at once, within a bound; the rest next turn.
        let limit = state.dirtyStreams.count * 4
        while index < state.dirtyStreams.count && index < limit {
            state.dirtyStreams[index].finishTurn()
            index += 1
        }
        if index == 1, state.dirtyStreams.count == 1 {
            // The usual case, for less than it costs to remove all.
            state.dirtyStreams.removeLast()
        } else if index == state.dirtyStreams.count {
            state.dirtyStreams.removeAll(keepingCapacity: true)
        } else if index > 0 {
            state.dirtyStreams.removeFirst(index)
        }
    }

    // MARK: Timers

    /// Runs `work` once on this loop, not before `delay` has passed, never within this call.
    @discardableResult
    public func schedule(after delay: Duration, _ work: @escaping () -> Void) -> LoopTimer {
        let timer = LoopTimer(loop: self, work: work)
        timer.rearm(after: delay)
        return timer
    }

    func fireDueTimers() {
        let now = state.clock.now().nanoseconds
        var dropped: [LoopTimer] = []
        while let work = state.timers.popDue(at: now, dropped: &dropped) { work() }
        for index in state.wheel.takeDue(at: now) {
            guard let owner = state.wheel.owner(of: index) else { continue }
            if owner.wheelDeadline <= now { owner.deadlineDidPass(now: now) }
            state.wheel.settle(index)
        }
    }

    var nextDeadline: Int64? {
        guard let timer = state.timers.nextDeadline else { return state.wheel.nextDeadline }
        guard let coarse = state.wheel.nextDeadline else { return timer }
        return min(timer, coarse)
    }

    private func armTimer() {
        guard state.clock.isReal else { return }
        let next = nextDeadline
        guard next != state.armedDeadline else { return }
        state.armedDeadline = next
        base.armTimer(
            nanoseconds: next.map { $0.subtractingReportingOverflow(state.clock.now().nanoseconds).partialValue }
        )
    }

    /// Sets the clock of a loop whose time is manual.
    func setManualTime(_ time: MonotonicTime) { state.clock.manual = time }
}

/// The loop's clocks, each read at most once per turn; or a clock that stands still until told.
struct LoopClock {
    private var cached: MonotonicTime?
    private var cachedWall: HTTPDate?
    /// The time of a manual clock; nil: the system's clocks are used.
    var manual: MonotonicTime?

    var isReal: Bool { manual == nil }

    mutating func invalidate() {
        cached = nil
        cachedWall = nil
    }

    mutating func now() -> MonotonicTime {
        if let time = cached ?? manual { return time }
        let time = MonotonicTime.now
        cached = time
        return time
    }

    mutating func wallNow() -> HTTPDate {
        if let manual { return HTTPDate(seconds: manual.nanoseconds / 1_000_000_000) }
        if let date = cachedWall { return date }
        let date = HTTPDate.now
        cachedWall = date
        return date
    }
}

/// The sources a loop keeps alive, by number.
struct SourceList {
    private var sources: [IOSource?] = []
    private var free: [Int] = []

    /// How many sources are registered.
    var count: Int { sources.count - free.count }

    mutating func insert(_ source: IOSource) -> Int {
        if let index = free.popLast() {
            sources[index] = source
            return index
        }
        sources.append(source)
        return sources.count - 1
    }

    mutating func remove(_ index: Int) {
        guard sources.indices.contains(index), sources[index] != nil else { return }
        sources[index] = nil
        free.append(index)
    }

    /// Tells every source that the loop ends.
    mutating func closeAll() {
        let all = sources
        sources = []
        free = []
        // First for all: one may release others when it hears of the end.
        for source in all { source?.registration = -1 }
        for source in all { source?.loopWillEnd() }
    }
}
