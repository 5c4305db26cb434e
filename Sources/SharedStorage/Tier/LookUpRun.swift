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
    /// Nil: the server has not been asked.
    var admission: ServerAdmission?
    /// When it was last asked to go on.
    var start: MonotonicTime
    /// The time until it began to wait for another node; nil: it has not.
    var waited: Duration?
    var waitLimit: MonotonicTime
    private(set) var waiter: LeaseWaiters.Waiter?
    /// Whether it is still given up if the server takes longer than the origin is worth.
    var mayBeGivenUp = true
    private(set) var isOver = false
    let isWanted: () -> Bool
    private let completion: (LookUpResult) -> Void

    init(
        _ lookUp: LookUp,
        _ load: SharedLoad,
        start: MonotonicTime,
        _ isWanted: @escaping () -> Bool,
        _ completion: @escaping (LookUpResult) -> Void
    ) {
        (self.lookUp, self.load) = (lookUp, load)
        (self.start, waitLimit) = (start, start)
        (self.isWanted, self.completion) = (isWanted, completion)
    }

    func end(_ result: LookUpResult) {
        guard !isOver else { return }
        isOver = true
        completion(result)
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
