import Locking
import Platform
import Synchronization

/// The part of a loop that other threads may use: it runs work there.
public final class LoopHandle: Sendable {
    /// Work for the loop; called on it.
    public typealias Work = @Sendable (EventLoop) -> Void

    private struct Queue {
        var works: [Work] = []
        var isClosed = false
    }

    /// The loop's index within its group.
    public let index: Int
    let wakeUp: WakeUp
    private let queue = Lock(Queue())
    private let thread = Atomic<UInt>(0)
    private let turnCount = Atomic<UInt64>(0)

    init(index: Int) throws(EventError) {
        self.index = index
        do throws(SystemError) { wakeUp = try WakeUp() } catch { throw EventError(.cannotOpen, error) }
    }

    /// Whether the calling thread is the loop's.
    public var isCurrent: Bool { thread.load(ordering: .relaxed) == Thread.currentIdentifier }

    /// Turns since the start; if it does not rise after work was submitted, the loop hangs.
    public var turns: UInt64 { turnCount.load(ordering: .relaxed) }

    /// Makes the loop run `work`, in the order of submission, never within this call.
    ///
    /// - Returns: false if the loop has ended; `work` is then dropped.
    @discardableResult
    public func submit(_ work: @escaping Work) -> Bool {
        // How many wait with it; 0: the loop accepts none any more.
        let count = queue.withLock { queue in
            if queue.isClosed { return 0 }
            queue.works.append(work)
            return queue.works.count
        }
        if count == 1 { wakeUp.signal() }
        return count > 0
    }

    func takeWorks() -> [Work] {
        queue.withLock { queue in
            let works = queue.works
            queue.works = []
            return works
        }
    }

    func closeMailbox() {
        // Released outside the lock: the captures of a closure may submit in their deinitializers.
        let dropped = queue.withLock { queue in
            let works = queue.works
            queue.works = []
            queue.isClosed = true
            return works
        }
        _ = dropped
    }

    func adoptThread() { thread.store(Thread.currentIdentifier, ordering: .relaxed) }
    func countTurn() { turnCount.wrappingAdd(1, ordering: .relaxed) }
}

/// The loop's end of its handle: one wake-up for all work submitted meanwhile.
final class Mailbox: IOSource {
    init(loop: EventLoop) { super.init(loop: loop, descriptor: loop.handle.wakeUp.descriptor) }

    override func descriptorIsReadable() {
        loop.handle.wakeUp.clear()
        for work in loop.handle.takeWorks() { work(loop) }
    }

    override func loopWillEnd() { release(closing: false) }
}
