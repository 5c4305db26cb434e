import Exchanges
import HTTPCore

/// How a load goes on after its look-up.
enum LookUpResult {
    case found(SharedAnswer)
    /// It asks the origin; with what it must show to store its response, nil: it is not stored on the server.
    case load(Claim?)
}

/// A look-up that is in progress.
///
/// Bound to a loop.
final class LookUpRun {
    var lookUp: LookUp
    let load: SharedLoad
    let admission: ServerAdmission
    /// When it was last asked to go on.
    var start: MonotonicTime
    /// The time until it began to wait for another node; nil: it has not.
    var waited: Duration?
    var waitLimit: MonotonicTime
    private(set) var waiter: LeaseWaiters.Waiter?
    let isWanted: () -> Bool
    let completion: (LookUpResult) -> Void

    init(
        _ lookUp: LookUp,
        _ load: SharedLoad,
        _ admission: ServerAdmission,
        start: MonotonicTime,
        _ isWanted: @escaping () -> Bool,
        _ completion: @escaping (LookUpResult) -> Void
    ) {
        (self.lookUp, self.load, self.admission) = (lookUp, load, admission)
        (self.start, waitLimit) = (start, start)
        (self.isWanted, self.completion) = (isWanted, completion)
    }

    /// Its waiter, which hears a channel; the names in Vary may have made it another one.
    func waiter(of channel: [UInt8], _ waiters: LeaseWaiters) -> LeaseWaiters.Waiter {
        if let waiter, waiter.channel == channel { return waiter }
        if let waiter { waiters.remove(waiter) }
        let new = waiters.add(channel)
        waiter = new
        return new
    }
}
