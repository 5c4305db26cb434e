import Eventing

/// The exchange that uses a connection; called on its loop.
protocol ConnectionUser: AnyObject {
    /// Handles bytes of the origin; returns how many were consumed.
    func receive(_ bytes: Span<UInt8>) -> Int
    /// The origin has sent its last byte.
    func inputDidEnd()
    /// The origin has accepted most of the sent bytes.
    func didDrain()
    /// The deadline set on the stream has passed.
    func deadlineDidPass()
    /// The connection broke and is closed.
    func connectionDidFail(_ error: StreamError)
}

/// An exchange in the limiter's queue; called on its loop.
protocol SlotWaiter: AnyObject {
    /// This waiter now owns a slot for a new connection.
    func slotWasGranted()
    /// This waiter now owns an idle connection, with its slot.
    func take(_ connection: OriginConnection)
}
