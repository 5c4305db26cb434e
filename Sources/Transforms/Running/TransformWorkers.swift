/// Threads on which pipelines run.
public protocol TransformWorkers: AnyObject, Sendable {
    /// Runs `work`, which is short, on a thread. Returns false if the queue is full; then `work` never runs.
    ///
    /// MUST NOT run it inside this call.
    func submit(_ work: @escaping @Sendable () -> Void) -> Bool

    /// Runs the next piece of work that has begun on a thread: a full queue accepts it, too.
    ///
    /// Each run has one piece in the queue at most. Returns false if the threads have ended.
    ///
    /// MUST NOT run it inside this call.
    func resume(_ work: @escaping @Sendable () -> Void) -> Bool
}
