/// Runs callbacks, on one thread at a time, first in, first out.
///
/// The daemon's contexts are its event loops; tests use a queue that they drain themselves.
public protocol DeliveryContext: AnyObject, Sendable {
    /// Whether the caller runs on this context now.
    var isCurrent: Bool { get }

    /// Runs `work` on this context, never inside this call.
    func submit(_ work: @escaping @Sendable () -> Void)
}
