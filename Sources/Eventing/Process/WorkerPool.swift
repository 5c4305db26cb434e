/// Threads for what blocks: name look-ups, transformers, files.
///
/// Any thread may use it. `stop()` or `finish()` must be called before the last reference goes.
public final class WorkerPool: Sendable {
    private let queue = BlockingQueue<@Sendable () -> Void>()
    private let threads: [Thread]
    private let queueLimit: Int

    /// Starts `count` threads; at most `queueLimit` works wait for one.
    public init(count: Int, name: String = "worker", queueLimit: Int = 10_000) throws(EventError) {
        self.queueLimit = queueLimit
        var threads: [Thread] = []
        for index in 0..<max(1, count) {
            let queue = queue
            do throws(EventError) {
                threads.append(
                    try Thread(name: "\(name)-\(index)") { while let work = queue.pop() { work() } }
                )
            } catch {
                queue.close()
                for thread in threads { thread.join() }
                throw error
            }
        }
        self.threads = threads
    }

    /// Has one of the threads run `work`; false if the pool has stopped or too much is waiting.
    @discardableResult
    public func submit(_ work: @escaping @Sendable () -> Void) -> Bool { queue.push(work, limit: queueLimit) }

    /// Runs `work` on one of the threads and `completion` with its result on `loop`.
    ///
    /// - Returns: false if the pool takes no more; `completion` is then never called.
    @discardableResult
    public func submit<Value: Sendable>(
        on loop: LoopHandle,
        _ work: @escaping @Sendable () -> Value,
        completion: @escaping @Sendable (EventLoop, Value) -> Void
    ) -> Bool {
        submit {
            let value = work()
            loop.submit { completion($0, value) }
        }
    }

    var threadCount: Int { threads.count }

    /// How many works wait for a thread.
    public var backlog: Int { queue.count }

    /// Takes no more work; the threads end by themselves when they have done what was submitted.
    public func finish() { queue.close() }

    /// Takes no more work, finishes what was submitted, and waits for the threads to end.
    public func stop() {
        queue.close()
        for thread in threads { thread.join() }
    }
}
