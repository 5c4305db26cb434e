import Exchanges
import HTTPCore

/// How a load continues after its look-up.
enum LookUpResult {
    case found(SharedAnswer)
    /// It asks the origin; without a claim its response is not stored on the server.
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
    /// From when `shared.timeout` counts: its begin, or the last time that it asked again after a wait.
    var start: MonotonicTime
    /// How long it looked before it waited for another node; nil: it has not waited.
    var waited: Duration?
    var waitLimit: MonotonicTime
    private(set) var waiter: LeaseWaiters.Waiter?
    /// Whether it ends early if it is too slow beside the origin; not once it reads content, or waits for a node.
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

    /// Its waiter at `channel`; the channel is another one once more names in Vary are known.
    func waiter(of channel: [UInt8], _ waiters: LeaseWaiters) -> LeaseWaiters.Waiter {
        if let waiter, waiter.channel == channel { return waiter }
        if let waiter { waiters.remove(waiter) }
        let new = waiters.add(channel)
        waiter = new
        return new
    }
}
