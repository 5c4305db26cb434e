import CLinux
import Glibc
import Synchronization

/// Writes log lines to a descriptor on a thread of its own: who logs never waits for who reads the log.
///
/// Lines wait in memory, at most `limit` bytes of them. While a reader stalls longer than that lasts, lines are dropped and
/// counted; once it has read all that waited, a line tells how many were, and lines are taken again.
/// Pieces of at most 4096 bytes are written at once, whole lines in each, so that a pipe with several writers keeps lines whole.
@safe
public final class LogWriter: @unchecked Sendable {
    /// What a pipe takes in one piece (PIPE_BUF).
    private static let pieceLimit = 4096
    /// A buffer that grew beyond is not kept.
    private static let keptCapacity = 65_536

    private let descriptor: Int32
    private let limit: Atomic<Int>
    /// Makes the line that tells of lost ones.
    private let notice: @Sendable (Int) -> [UInt8]
    private let lost = Atomic(0)
    /// Bytes taken and not yet written; read by `CrashFlush`, which may take no lock.
    let unwritten = Atomic(0)

    // The mutex guards all below.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// Something to write, or the end.
    private let filled: UnsafeMutablePointer<pthread_cond_t>
    /// All is written.
    private let emptied: UnsafeMutablePointer<pthread_cond_t>
    private var waiting: [UInt8] = []
    /// Lines not taken since the reader fell behind.
    private var dropped = 0
    private var isWriting = false
    private var isStopped = false
    private var thread = pthread_t()
    private var hasThread = false

    /// Starts the thread; without one, lines are written by those who log.
    ///
    /// - Parameters:
    ///   - descriptor: stays the caller's.
    ///   - limit: bytes of lines that may wait.
    ///   - notice: makes the line, with its end, that tells of this many lost ones; called on the writer's thread.
    public init(
        descriptor: Int32,
        limit: Int,
        notice: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.descriptor = descriptor
        self.limit = Atomic(limit)
        self.notice = notice
        unsafe mutex = .allocate(capacity: 1)
        unsafe filled = .allocate(capacity: 1)
        unsafe emptied = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
        unsafe filled.initialize(to: pthread_cond_t())
        unsafe emptied.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(filled, &attributes)
        unsafe pthread_cond_init(emptied, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
        start()
    }

    deinit {
        unsafe pthread_cond_destroy(filled)
        unsafe pthread_cond_destroy(emptied)
        unsafe pthread_mutex_destroy(mutex)
        unsafe filled.deallocate()
        unsafe emptied.deallocate()
        unsafe mutex.deallocate()
    }

    // MARK: Those who log

    /// Takes a line with its end; never waits for the reader.
    public func write(_ line: [UInt8]) {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe _ = pthread_mutex_unlock(mutex) }
        guard hasThread else { return writeAll(line[...]) }
        let isFull = unwritten.load(ordering: .relaxed) + line.count > limit.load(ordering: .relaxed)
        guard dropped == 0, !isFull else {
            dropped += 1
            lost.add(1, ordering: .relaxed)
            return
        }
        waiting.append(contentsOf: line)
        unwritten.add(line.count, ordering: .releasing)
        if !isWriting { unsafe pthread_cond_signal(filled) }
    }

    /// Lines that were not written, since the start.
    public var lostLines: Int { lost.load(ordering: .relaxed) }

    /// Bytes of lines that wait for the reader.
    public var waitingBytes: Int { unwritten.load(ordering: .relaxed) }

    /// Bytes of lines that may wait; may change at any time.
    public var waitingLimit: Int {
        get { limit.load(ordering: .relaxed) }
        set { limit.store(newValue, ordering: .relaxed) }
    }

    /// Waits until all that was taken is written, and what was dropped is told, but no longer than `bound`.
    ///
    /// - Returns: whether it is.
    @discardableResult
    public func flush(within bound: Duration) -> Bool {
        var end = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &end)
        let nanoseconds = end.tv_nsec + Int(bound.components.attoseconds / 1_000_000_000)
        end.tv_sec += Int(bound.components.seconds) + nanoseconds / 1_000_000_000
        end.tv_nsec = nanoseconds % 1_000_000_000
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe _ = pthread_mutex_unlock(mutex) }
        while isWriting || !waiting.isEmpty || dropped > 0 {
            if unsafe pthread_cond_timedwait(emptied, mutex, &end) == ETIMEDOUT { return false }
        }
        return true
    }

    /// Ends the thread once all is written, and waits for it; a reader that stalls has it wait for ever.
    package func stop() {
        unsafe pthread_mutex_lock(mutex)
        isStopped = true
        let joins = hasThread
        hasThread = false
        unsafe pthread_cond_signal(filled)
        unsafe pthread_mutex_unlock(mutex)
        if joins { pthread_join(thread, nil) }
    }

    // MARK: The thread

    private func start() {
        let context = unsafe Unmanaged.passRetained(self)
        var every = sigset_t()
        var previous = sigset_t()
        unsafe sigfillset(&every)
        unsafe pthread_sigmask(SIG_BLOCK, &every, &previous)
        hasThread = unsafe pthread_create(&thread, nil, { unsafe LogWriter.main($0) }, context.toOpaque()) == 0
        unsafe pthread_sigmask(SIG_SETMASK, &previous, nil)
        if !hasThread { unsafe context.release() }
    }

    private static func main(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context = unsafe context else { return nil }
        unsafe respite_name_thread("log")
        unsafe Unmanaged<LogWriter>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }

    private func run() {
        var batch: [UInt8] = []
        while true {
            switch next(&batch) {
            case .lines: writePieces(batch)
            case .dropped(let count): writeAll(notice(count)[...])
            case .end: return
            }
        }
    }

    private enum Work {
        case lines
        case dropped(Int)
        case end
    }

    /// Waits for something to write; `batch`, which is written, makes room for it.
    private func next(_ batch: inout [UInt8]) -> Work {
        if batch.capacity > Self.keptCapacity { batch = [] } else { batch.removeAll(keepingCapacity: true) }
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe _ = pthread_mutex_unlock(mutex) }
        while true {
            isWriting = true
            if !waiting.isEmpty {
                swap(&batch, &waiting)
                return .lines
            }
            if dropped > 0 {
                defer { dropped = 0 }
                return .dropped(dropped)
            }
            isWriting = false
            unsafe pthread_cond_broadcast(emptied)
            if isStopped { return .end }
            unsafe pthread_cond_wait(filled, mutex)
        }
    }

    /// Writes lines, as many in one piece as a pipe keeps together.
    private func writePieces(_ lines: [UInt8]) {
        var rest = lines[...]
        while !rest.isEmpty {
            let window = rest.prefix(Self.pieceLimit)
            let last =
                (window.count < rest.count ? window.lastIndex(of: 0x0A) ?? rest.firstIndex(of: 0x0A) : nil)
                ?? rest.endIndex - 1
            writeAll(rest[...last])
            unwritten.subtract(last + 1 - rest.startIndex, ordering: .releasing)
            rest = rest[(last + 1)...]
        }
    }

    private func writeAll(_ lines: ArraySlice<UInt8>) {
        guard !SystemOutput.write(lines, to: descriptor) else { return }
        lost.add(lines.count { $0 == 0x0A }, ordering: .relaxed)
    }

    /// Whether the calling thread is the writer's; takes no lock.
    var isOwnThread: Bool { pthread_equal(thread, pthread_self()) != 0 }
}
