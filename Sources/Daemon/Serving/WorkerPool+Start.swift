import Platform

extension WorkerPool {
    /// Starts threads of the daemon.
    static func start(
        count: Int,
        name: String,
        queueLimit: Int = usualQueueLimit
    ) throws(StartError) -> WorkerPool {
        do throws(SystemError) {
            return try WorkerPool(count: count, name: name, queueLimit: queueLimit)
        } catch {
            throw StartError(userMessage: "\(error)")
        }
    }
}
