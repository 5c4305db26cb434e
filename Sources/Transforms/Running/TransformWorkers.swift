/// Threads on which pipelines run.
public protocol TransformWorkers: AnyObject, Sendable {
    /// Has a thread run `work`, which is short; false if too much is waiting, and `work` is then never run.
    ///
    /// MUST NOT run it inside this call.
    func submit(_ work: @escaping @Sendable () -> Void) -> Bool
}
