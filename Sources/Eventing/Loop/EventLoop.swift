public import HTTPCore
import Platform

/// One thread's events: descriptors, timers, work from other threads.
///
/// Bound to the thread that runs it, like everything made with it: streams, listeners, timers. Other threads hold its
/// `handle`. A turn waits for events, runs their callbacks, then the work deferred to the end of the turn.
public final class EventLoop {
    /// What other threads may hold of this loop.
    public let handle: LoopHandle
    let base: EventBase
    var sources = SourceList()
    var timers = TimerQueue()
    var wheel: DeadlineWheel
    var buffers = LoopBuffers()

    private var clock: LoopClock
    private var mailbox: Mailbox?
    private var signals: [SignalSource] = []
    private var isStopped = false
    private var endOfTurn: [() -> Void] = []
    /// Sources with something to do at the end of the turn.
    private var dirtySources: [IOSource] = []
    /// The deadline the base's timer is armed for; nil if it is not armed.
    private var armedDeadline: Int64?

    /// A loop for the calling thread.
    ///
    /// - Parameter index: its number within its group.
    public convenience init(index: Int = 0) throws(EventError) { try self.init(index: index, clock: LoopClock()) }

    init(index: Int, clock: LoopClock) throws(EventError) {
        base = try EventBase()
        handle = try LoopHandle(index: index)
        self.clock = clock
        wheel = DeadlineWheel(now: (clock.manual ?? MonotonicTime.now).nanoseconds)
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
    public var now: MonotonicTime { clock.now() }

    /// The wall clock, read at most once per turn.
    public var wallNow: HTTPDate { clock.wallNow() }

    // MARK: Running

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
        clock.invalidate()
        base.runOnce(mayBlock: mayBlock && !hasDeferredWork)
        handle.countTurn()
        if base.takeTimerFlag() {
            armedDeadline = nil
            fireDueTimers()
        }
        runEndOfTurn()
    }

    /// Closes all sources and drops all timers and work.
    func close() {
        handle.closeMailbox()
        for signal in signals { signal.cancel() }
        signals = []
        let all = sources.removeAll()
        // First for all: one may release others when it is told of the end.
        for source in all { source.registration = -1 }
        for source in all { source.loopWillEnd() }
        mailbox = nil
        // Taken out first: what they capture may use the loop once more in its deinitializers.
        let last = (endOfTurn, dirtySources, timers, wheel, buffers.takeSpares())
        endOfTurn = []
        dirtySources = []
        timers = TimerQueue()
        wheel = DeadlineWheel(now: 0)
        withExtendedLifetime(last) {}
    }

    // MARK: Deferred work

    /// Runs `work` when the callbacks of this turn are done; work deferred meanwhile runs in the next turn.
    public func atEndOfTurn(_ work: @escaping () -> Void) { endOfTurn.append(work) }

    func add(_ signals: SignalSource) { self.signals.append(signals) }

    /// Calls `source.finishTurn` at the end of the turn.
    func finishTurn(for source: IOSource) { dirtySources.append(source) }

    private var hasDeferredWork: Bool { !endOfTurn.isEmpty || !dirtySources.isEmpty || isStopped }

    func runEndOfTurn() {
        if !endOfTurn.isEmpty {
            let works = endOfTurn
            endOfTurn = []
            for work in works { work() }
        }
        finishSources()
    }

    /// How many streams that were written to may wait for the end of the turn.
    ///
    /// Sending for several at once wakes their peers less often. In a larger burst the first would wait for all others.
    private static let burst = 16

    /// Some bytes were delivered: has streams that were written to send if enough of them wait.
    func didDeliver() { if dirtySources.count >= Self.burst { finishSources() } }

    private func finishSources() {
        guard !dirtySources.isEmpty else { return }
        var index = 0
        // A source that becomes dirty meanwhile is served at once, within a bound; the rest follow in the next turn.
        let limit = dirtySources.count * 4
        while index < dirtySources.count && index < limit {
            dirtySources[index].finishTurn()
            index += 1
        }
        if index == 1, dirtySources.count == 1 {
            // The usual case, for less than it costs to remove all.
            dirtySources.removeLast()
        } else if index == dirtySources.count {
            dirtySources.removeAll(keepingCapacity: true)
        } else if index > 0 {
            dirtySources.removeFirst(index)
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
        let now = clock.now().nanoseconds
        var dropped: [LoopTimer] = []
        while let work = timers.popDue(at: now, dropped: &dropped) { work() }
        for index in wheel.takeDue(at: now) {
            guard let owner = wheel.owner(of: index) else { continue }
            if owner.wheelDeadline <= now { owner.deadlineDidPass(now: now) }
            wheel.reinsert(index)
        }
    }

    var nextDeadline: Int64? {
        guard let timer = timers.nextDeadline else { return wheel.nextDeadline }
        guard let coarse = wheel.nextDeadline else { return timer }
        return min(timer, coarse)
    }

    private func armTimer() {
        guard clock.isReal else { return }
        let next = nextDeadline
        guard next != armedDeadline else { return }
        armedDeadline = next
        base.armTimer(nanoseconds: next.map { $0.subtractingReportingOverflow(clock.now().nanoseconds).partialValue })
    }

    /// Sets the clock of a loop whose time is manual.
    func setManualTime(_ time: MonotonicTime) { clock.manual = time }
}
