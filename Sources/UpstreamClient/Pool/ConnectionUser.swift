import Eventing

/// The exchange on a connection; called on its loop.
protocol ConnectionUser: AnyObject {
    /// Handles bytes of the origin; returns how many are used up.
    func receive(_ bytes: Span<UInt8>) -> Int
    /// The origin has sent its last byte.
    func inputDidEnd()
    /// The origin has taken most of what was sent.
    func didDrain()
    /// The deadline set on the stream has passed.
    func deadlineDidPass()
    /// The connection broke and is closed.
    func connectionDidFail(_ error: StreamError)
}

/// An exchange in the limiter's queue; called on its loop.
protocol SlotWaiter: AnyObject {
    /// A slot for a new connection is this waiter's.
    func slotWasGranted()
    /// A connection that is ready for an exchange is this waiter's, with its slot.
    func take(_ connection: OriginConnection)
}
