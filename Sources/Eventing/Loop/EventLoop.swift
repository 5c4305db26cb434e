public import HTTPCore
import Platform

/// One thread's events: descriptors, timers, work from other threads.
///
/// Bound to the thread that runs it, like everything made with it: streams, listeners, timers. Other threads use its
/// `handle`. A turn waits for events, runs their callbacks, then the work deferred to the end of the turn.
public final class EventLoop {
    /// The part of this loop that other threads may use.
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
    /// Sources that have work for the end of the turn.
    private var dirtySources: [IOSource] = []
    /// The deadline for which the base's timer is armed; nil if it is not armed.
    private var armedDeadline: Int64?

    /// Makes a loop for the calling thread.
    ///
    /// - Parameter index: its index within its group.
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
        // A loop that was never run or closed still has its mailbox.
        precondition(mailbox == nil, "a loop must be run to its end, or closed")
    }

    // MARK: Time

    /// The monotonic clock, read at most once per turn.
    public var now: MonotonicTime { clock.now() }

    /// The wall clock, read at most once per turn.
    public var wallNow: HTTPDate { clock.wallNow() }

    // MARK: Running

    /// Runs until `stop()`, then closes every source of this loop.
    public func run() {
        handle.adoptThread()
        while !isStopped { turn(mayBlock: true) }
        close()
    }

    /// Ends `run()` after the current turn.
    public func stop() { isStopped = true }

    /// Runs one turn: waits for events if there is nothing to do, runs their callbacks, then the end of the turn.
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

    /// Closes all sources and releases all timers and work.
    func close() {
        handle.closeMailbox()
        for signal in signals { signal.cancel() }
        signals = []
        let all = sources.removeAll()
        // Do this for all sources first: one that is closed may release others.
        for source in all { source.registration = -1 }
        for source in all { source.loopWillEnd() }
        mailbox = nil
        // Taken out first: their captures may use the loop in their deinitializers.
        let last = (endOfTurn, dirtySources, timers, wheel, buffers.takeSpares())
        endOfTurn = []
        dirtySources = []
        timers = TimerQueue()
        wheel = DeadlineWheel(now: 0)
        withExtendedLifetime(last) {}
    }

    // MARK: Deferred work

    /// Runs `work` when the callbacks of this turn are done; work that this adds runs in the next turn.
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

    /// How many written streams may wait for the end of the turn.
    ///
    /// Sending for several at once wakes their peers less often. In a larger burst the first would wait for all others.
    private static let burst = 16

    /// Called after a stream has delivered bytes: sends for the written streams, if enough of them wait.
    func didDeliver() { if dirtySources.count >= Self.burst { finishSources() } }

    private func finishSources() {
        guard !dirtySources.isEmpty else { return }
        var index = 0
        // Sources that become dirty meanwhile are handled at once, up to a limit; the rest follow in the next turn.
        let limit = dirtySources.count * 4
        while index < dirtySources.count && index < limit {
            dirtySources[index].finishTurn()
            index += 1
        }
        if index == 1, dirtySources.count == 1 {
            // The usual case, at less than the cost of removing all.
            dirtySources.removeLast()
        } else if index == dirtySources.count {
            dirtySources.removeAll(keepingCapacity: true)
        } else if index > 0 {
            dirtySources.removeFirst(index)
        }
    }

    // MARK: Timers

    /// Runs `work` once on this loop, after `delay`, never within this call.
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

    /// Sets the clock of a manual loop.
    func setManualTime(_ time: MonotonicTime) { clock.manual = time }
}
