/// Threads for work that blocks: name look-ups, transformers, files.
///
/// Any thread may use it. Call `stop()` or `finish()` before the last reference goes.
public final class WorkerPool: Sendable {
    private let queue = BlockingQueue<@Sendable () -> Void>()
    private let threads: [Thread]
    private let queueLimit: Int

    /// Starts `count` threads.
    ///
    /// - Parameters:
    ///   - name: of the threads, which get their number behind it.
    ///   - queueLimit: how many jobs may wait for a thread.
    public init(count: Int, name: String = "worker", queueLimit: Int = 10_000) throws(SystemError) {
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

    /// Has one of the threads run `job`.
    ///
    /// - Returns: false, without effect, if the pool has stopped or too many jobs wait.
    @discardableResult
    public func submit(_ job: @escaping @Sendable () -> Void) -> Bool { queue.push(job, limit: queueLimit) }

    package var threadCount: Int { threads.count }

    /// How many jobs wait for a thread.
    public var backlog: Int { queue.count }

    /// Accepts no more jobs; the threads end by themselves once they have run those submitted before.
    public func finish() { queue.close() }

    /// Accepts no more jobs, runs those submitted before, and waits for the threads to end.
    public func stop() {
        queue.close()
        for thread in threads { thread.join() }
    }
}
