/// Threads on which pipelines run.
public protocol TransformWorkers: AnyObject, Sendable {
    /// Runs `work`, which is short, on a thread. Returns false if the queue is full; then `work` never runs.
    ///
    /// MUST NOT run it inside this call.
    func submit(_ work: @escaping @Sendable () -> Void) -> Bool
}
