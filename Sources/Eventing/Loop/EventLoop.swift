public import HTTPCore

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
    var timers = TimerQueue()
    var wheel: DeadlineWheel
    /// Output buffers no stream needs at present.
    var spareOutputs: [OutputBuffer] = []

    private var clock: LoopClock
    private var mailbox: Mailbox?
    private var signals: [Signals] = []
    private var endOfTurn: [() -> Void] = []
    /// Streams with something to do at the end of the turn.
    private var dirtyStreams: [Stream] = []
    /// The deadline the base's timer is armed for; nil if it is not armed.
    private var armedDeadline: Int64?
    private var isStopped = false

    /// A loop for the calling thread.
    ///
    /// - Parameter index: its number within its group.
    public convenience init(index: Int = 0) throws(EventError) { try self.init(index: index, clock: LoopClock()) }

    init(index: Int, clock: LoopClock) throws(EventError) {
        self.clock = clock
        base = try EventBase()
        handle = try LoopHandle(index: index)
        wheel = DeadlineWheel(now: Clock.monotonic().nanoseconds)
        Signals.ignoreBrokenPipes()
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
        endOfTurn = []
        dirtyStreams = []
        timers = TimerQueue()
        for signal in signals { signal.cancel() }
        signals = []
        sources.closeAll()
        mailbox = nil
        spareOutputs = []
    }

    // MARK: Deferred work

    /// Runs `work` when the callbacks of this turn are done; work deferred meanwhile runs in the next turn.
    public func atEndOfTurn(_ work: @escaping () -> Void) { endOfTurn.append(work) }

    func add(_ signals: Signals) { self.signals.append(signals) }

    func finishTurn(for stream: Stream) { dirtyStreams.append(stream) }

    private var hasDeferredWork: Bool { !endOfTurn.isEmpty || !dirtyStreams.isEmpty || isStopped }

    func runEndOfTurn() {
        if !endOfTurn.isEmpty {
            let works = endOfTurn
            endOfTurn = []
            for work in works { work() }
        }
        var index = 0
        // What a stream's end of turn makes dirty is served at once, within a bound; the rest next turn.
        let limit = dirtyStreams.count * 4
        while index < dirtyStreams.count && index < limit {
            dirtyStreams[index].finishTurn()
            index += 1
        }
        if index == dirtyStreams.count {
            dirtyStreams.removeAll(keepingCapacity: true)
        } else if index > 0 {
            dirtyStreams.removeFirst(index)
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
        while let work = timers.popDue(at: now) { work() }
        for index in wheel.takeDue(at: now) {
            guard let owner = wheel.owner(of: index) else { continue }
            if owner.wheelDeadline <= now { owner.deadlineDidPass(now: now) }
            wheel.settle(index)
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
        let time = Clock.monotonic()
        cached = time
        return time
    }

    mutating func wallNow() -> HTTPDate {
        if let manual { return HTTPDate(seconds: manual.nanoseconds / 1_000_000_000) }
        if let date = cachedWall { return date }
        let date = Clock.wall()
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
        for source in all {
            source?.registration = -1
            source?.loopWillEnd()
        }
    }
}
