import Locking
import Synchronization

/// One request waiting for, or following, what a Resource loads.
///
/// Does not keep the resource: its service does.
public final class Waiter: Sendable {
    let request: ClientRequest
    private struct Waiting {
        /// Until it was answered or has left: it may well hold this waiter in turn.
        var delegate: (any WaiterDelegate)?
        /// The form it waits for, or follows.
        var content: DerivedContent?
    }

    private let waiting: Lock<Waiting>
    private let link: ResourceLink
    private let cancelled = Atomic<Bool>(false)

    init(request: ClientRequest, delegate: any WaiterDelegate, link: ResourceLink) {
        self.request = request
        waiting = Lock(Waiting(delegate: delegate))
        self.link = link
    }

    /// The client left, or needs no more of a response it follows: the load loses its interest.
    ///
    /// Harmless when repeated; from any thread.
    public func cancel() {
        guard !cancelled.exchange(true, ordering: .relaxed) else { return }
        stopWaiting().content?.leave(self)
        leaveLoad()
    }

    /// The followed body was read to its end: nothing is left that the load's interest could matter to.
    ///
    /// In place of `cancel`, and cheaper. Harmless when repeated, or after that.
    public func end() {
        guard !cancelled.exchange(true, ordering: .relaxed) else { return }
        guard let content = stopWaiting().content else { return }
        content.leave(self)
        leaveLoad()
    }

    /// The load loses the interest of this request, which stays.
    func leaveLoad() { link.resource?.cancel(self) }

    /// What was loaded goes to `delegate` in the form of `content`.
    func wait(for content: DerivedContent, delegate: any WaiterDelegate) {
        waiting.withLock { $0 = Waiting(delegate: delegate, content: content) }
    }

    /// Whether it left before, or while, it was made to wait for `content`: then it waits no more.
    func hasLeft(_ content: DerivedContent) -> Bool {
        guard isCancelled else { return false }
        _ = stopWaiting()
        content.leave(self)
        return true
    }

    /// What it has waited for until now.
    private func stopWaiting() -> Waiting {
        waiting.withLock { waiting in
            defer { waiting = Waiting() }
            return waiting
        }
    }

    /// Whom to call; nil once it was answered or has left.
    var delegate: (any WaiterDelegate)? { waiting.withLock { $0.delegate } }

    /// The delegate, for the last time.
    func takeDelegate() -> (any WaiterDelegate)? {
        waiting.withLock { waiting in
            defer { waiting.delegate = nil }
            return waiting.delegate
        }
    }

    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }
}
