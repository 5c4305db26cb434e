/// Threads for work that blocks: name look-ups, transformers, files.
///
/// Any thread may use it. Call `stop()` or `finish()` before releasing it.
public final class WorkerPool: Sendable {
    private let queue = BlockingQueue<@Sendable () -> Void>()
    private let threads: [Thread]
    private let queueLimit: Int

    /// How many jobs may wait for a thread, unless something else is said.
    public static let usualQueueLimit = 10_000

    /// Starts `count` threads.
    ///
    /// - Parameters:
    ///   - name: the name of the threads, each with its index behind it.
    ///   - queueLimit: how many jobs may wait for a thread.
    public init(count: Int, name: String = "worker", queueLimit: Int = usualQueueLimit) throws(SystemError) {
        self.queueLimit = queueLimit
        var threads: [Thread] = []
        for index in 0..<max(1, count) {
            let queue = queue
            do throws(SystemError) {
                threads.append(
                    try Thread(name: "\(name)-\(index)") { while let job = queue.pop() { job() } }
                )
            } catch {
                queue.close()
                for thread in threads { thread.join() }
                throw error
            }
        }
        self.threads = threads
    }

    /// Makes one of the threads run `job`.
    ///
    /// - Returns: false, without effect, if the pool has stopped or too many jobs wait.
    @discardableResult
    public func submit(_ job: @escaping @Sendable () -> Void) -> Bool { queue.push(job, limit: queueLimit) }

    /// Makes one of the threads run the next job of work that has begun, however many jobs wait.
    ///
    /// - Returns: false, without effect, if the pool has stopped.
    @discardableResult
    public func resume(_ job: @escaping @Sendable () -> Void) -> Bool { queue.push(job) }

    package var threadCount: Int { threads.count }

    /// How many jobs wait for a thread.
    public var backlog: Int { queue.count }

    /// Accepts no more jobs; the threads end once they have run the submitted ones.
    public func finish() { queue.close() }

    /// Accepts no more jobs, and waits until the threads have run the submitted ones and ended.
    public func stop() {
        queue.close()
        for thread in threads { thread.join() }
    }
}
