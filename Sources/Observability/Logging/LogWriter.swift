import LibC
import HTTPCore
public import Platform
import Synchronization

/// Writes log lines to a descriptor on a thread of its own.
///
/// So a slow reader of the log does not delay threads that log. Lines wait in memory, at most `limit` bytes of them.
/// More lines are dropped and counted. Once the reader has read all waiting lines, a line reports how many were
/// dropped, and lines are accepted again. Each `write` has whole lines. To anything but a regular file it has at most
/// 4096 bytes, so that a pipe with several writers keeps lines whole.
///
/// Nobody waits for some lines, such as those of the access log. The thread collects them for up to `collectingTime`,
/// so that a request seldom wakes it.
public final class LogWriter: Sendable {
    /// The bytes that a pipe accepts in one piece (PIPE_BUF).
    private static let pieceLimit = 4096
    /// The bytes of lines that are written at once, whatever the time.
    private static let collectedBytes = 65_536
    /// A buffer with a larger capacity is freed after use.
    private static let keptCapacity = 262_144

    /// Nanoseconds between two reports of lines that the descriptor refuses.
    private static let failureInterval: Int64 = 60_000_000_000

    private struct State {
        var waiting: [UInt8] = []
        /// Whether a waiting line is to be written at once.
        var isUrgent = false
        /// When the waiting lines are written at the latest, on `SystemClock.awakeNanoseconds()`; nil: not collecting.
        var deadline: Int64?
        /// Lines dropped since the reader fell behind.
        var dropped = 0
        /// Whether the thread has taken lines and not yet written all of them.
        var isWriting = false
        var isStopped = false
        /// Nil if the thread could not start or has stopped; the threads that log then write the lines.
        var thread: Thread?

        var isIdle: Bool { !isWriting && waiting.isEmpty && dropped == 0 }
    }

    private let descriptor: Int32
    /// Writes lines to the descriptor, or elsewhere; returns how many bytes are done.
    private let output: @Sendable (ArraySlice<UInt8>, Int32) -> Int
    private let limit: Atomic<Int>
    /// Called when the descriptor refuses lines, at most once a minute; nil: this is not reported.
    private let failure: (@Sendable (SystemError) -> Void)?
    /// When `failure` was called last, on `SystemClock.awakeNanoseconds()`; 0: not yet.
    private let failureTime = Atomic<Int64>(0)
    /// How long a line that is not urgent may wait for others, in nanoseconds.
    private let collectingTime: Int64
    /// Makes the line that reports dropped ones.
    private let notice: @Sendable (Int) -> [UInt8]
    private let lost = Atomic(0)
    /// Whether the descriptor has refused the rest of a line.
    private let isTorn = Atomic(false)
    /// Bytes accepted and not yet written; `CrashFlush`, which must not lock, reads it.
    let unwritten = Atomic(0)
    /// The identifier of the writer's thread; 0 before it runs.
    private let threadIdentifier = Atomic<UInt>(0)
    private let state = Monitor(State())

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - descriptor: the caller closes it.
    ///   - limit: the most bytes of lines that may wait.
    ///   - collectingTime: how long a line that is not urgent may wait for others.
    ///   - output: writes lines; returns how many bytes of them are done.
    ///   - failure: called when the descriptor refuses lines, as on a full disk, at most once a minute; on the writer's
    ///     thread.
    ///   - notice: makes the line, with its end, that reports this many dropped lines; called on the writer's thread.
    public init(
        descriptor: Int32,
        limit: Int,
        collectingTime: Duration = .milliseconds(100),
        output: @escaping @Sendable (ArraySlice<UInt8>, Int32) -> Int = { SystemOutput.writeCounting($0, to: $1) },
        failure: (@Sendable (SystemError) -> Void)? = nil,
        notice: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.descriptor = descriptor
        self.limit = Atomic(limit)
        self.output = output
        self.failure = failure
        self.collectingTime = collectingTime.wholeNanoseconds
        self.notice = notice
        let thread = try? Thread(name: "log") { [self] in run() }
        state.withLock { $0.thread = thread }
    }

    // MARK: For threads that log

    /// Accepts a line with its end; never waits for the reader.
    ///
    /// - Parameter isUrgent: false: the line may wait a moment for others.
    public func write(_ line: [UInt8], isUrgent: Bool = true) {
        let batch = batchSize
        let wakes = state.withLock { state in
            guard state.thread != nil else {
                writeAll(line[...])
                return false
            }
            // A line longer than the limit is accepted when no other waits.
            let unwritten = unwritten.load(ordering: .relaxed)
            let isFull = unwritten > 0 && unwritten + line.count > limit.load(ordering: .relaxed)
            guard state.dropped == 0, !isFull else {
                state.dropped += 1
                lost.add(1, ordering: .relaxed)
                return state.dropped == 1 && !state.isWriting
            }
            let before = state.waiting.count
            state.waiting.append(contentsOf: line)
            self.unwritten.add(line.count, ordering: .releasing)
            if isUrgent { state.isUrgent = true }
            guard !state.isWriting else { return false }
            // The thread begins to collect at the first line.
            return isUrgent || before == 0 || (before < batch && state.waiting.count >= batch)
        }
        if wakes { state.wakeAll() }
    }

    /// Lines dropped since the start.
    public var lostLines: Int { lost.load(ordering: .relaxed) }

    /// Bytes of lines that wait for the reader.
    public var waitingBytes: Int { unwritten.load(ordering: .relaxed) }

    /// The most bytes of lines that may wait; it may change at any time.
    public var waitingLimit: Int {
        get { limit.load(ordering: .relaxed) }
        set { limit.store(newValue, ordering: .relaxed) }
    }

    /// Blocks until all accepted lines are written and the dropped ones reported, but no longer than `timeout`.
    ///
    /// - Returns: whether they are.
    @discardableResult
    public func flush(within timeout: Duration) -> Bool {
        state.withLock { $0.isUrgent = !$0.waiting.isEmpty }
        state.wakeAll()
        return state.wait(for: timeout) { $0.isIdle ? () : nil } != nil
    }

    /// Notes that the descriptor leads to another file, whose last line is whole.
    func noteReopening() { isTorn.store(false, ordering: .relaxed) }

    /// Ends the thread once it has written everything, and waits for that, without limit if the reader stalls.
    package func stop() {
        let thread = state.withLock { state in
            state.isStopped = true
            return state.thread.take()
        }
        state.wakeAll()
        thread?.join()
    }

    /// Ends the thread once it has written everything, without waiting for that; it keeps this object until then.
    func abandon() {
        state.withLock { state in
            state.isStopped = true
            state.thread = nil
        }
        state.wakeAll()
    }

    /// Whether the calling thread is the writer's; does not lock.
    var isOwnThread: Bool { threadIdentifier.load(ordering: .relaxed) == Thread.currentIdentifier }

    // MARK: The thread

    private enum Work {
        case lines
        case dropped(Int)
        case end
    }

    private func run() {
        threadIdentifier.store(Thread.currentIdentifier, ordering: .relaxed)
        var batch: [UInt8] = []
        while true {
            switch next(&batch) {
            case .lines: writePieces(batch)
            case .dropped(let count): writeAll(notice(count)[...])
            case .end: return
            }
        }
    }

    /// Waits for work.
    ///
    /// - Parameter batch: the lines written last; the lines to write replace them.
    private func next(_ batch: inout [UInt8]) -> Work {
        if batch.capacity > Self.keptCapacity { batch = [] } else { batch.removeAll(keepingCapacity: true) }
        let size = batchSize
        return state.wait(wakingAt: \.deadline) { state -> Work? in
            if !state.waiting.isEmpty {
                if collects(&state, until: size) { return nil }
                state.isWriting = true
                state.isUrgent = false
                state.deadline = nil
                swap(&batch, &state.waiting)
                return .lines
            }
            if state.dropped > 0 {
                state.isWriting = true
                defer { state.dropped = 0 }
                return .dropped(state.dropped)
            }
            if state.isWriting {
                state.isWriting = false
                // For `flush`.
                self.state.wakeAll()
            }
            return state.isStopped ? .end : nil
        }
    }

    /// Whether the waiting lines wait for others.
    private func collects(_ state: inout State, until size: Int) -> Bool {
        guard !state.isUrgent, !state.isStopped, state.dropped == 0, state.waiting.count < size else { return false }
        state.isWriting = false
        let now = SystemClock.awakeNanoseconds()
        let deadline = state.deadline ?? now + collectingTime
        state.deadline = deadline
        return now < deadline
    }

    /// The bytes of lines that are written at once: fewer than may wait.
    private var batchSize: Int { min(Self.collectedBytes, waitingLimit / 2) }

    /// Writes lines, as many in one piece as the descriptor keeps together.
    private func writePieces(_ lines: [UInt8]) {
        let pieceLimit = SystemOutput.isRegularFile(descriptor) ? lines.count : Self.pieceLimit
        var rest = lines[...]
        while !rest.isEmpty {
            let window = rest.prefix(pieceLimit)
            let last =
                (window.count < rest.count ? window.lastIndex(of: 0x0A) ?? rest.firstIndex(of: 0x0A) : nil)
                ?? rest.endIndex - 1
            writeAll(rest[...last])
            unwritten.subtract(last + 1 - rest.startIndex, ordering: .releasing)
            rest = rest[(last + 1)...]
        }
    }

    private func writeAll(_ lines: ArraySlice<UInt8>) {
        let written = endTornLine() ? output(lines, descriptor) : 0
        guard written < lines.count else { return }
        let error = SystemError(errno)
        let rest = lines.dropFirst(written)
        if written > 0, lines[rest.startIndex - 1] != 0x0A { isTorn.store(true, ordering: .relaxed) }
        lost.add(rest.count { $0 == 0x0A }, ordering: .relaxed)
        guard let failure else { return }
        let (now, last) = (SystemClock.awakeNanoseconds(), failureTime.load(ordering: .relaxed))
        guard last == 0 || now - last > Self.failureInterval else { return }
        failureTime.store(now, ordering: .relaxed)
        failure(error)
    }

    /// Ends a line whose rest was refused, so that the next one does not continue it; returns whether none is left.
    private func endTornLine() -> Bool {
        guard isTorn.load(ordering: .relaxed) else { return true }
        guard SystemOutput.write([0x0A], to: descriptor) else { return false }
        isTorn.store(false, ordering: .relaxed)
        return true
    }
}
