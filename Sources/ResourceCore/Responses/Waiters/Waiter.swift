import Locking
import Synchronization

/// A request that waits for a load, or follows its response.
///
/// It does not keep the resource: the service does.
public final class Waiter: Sendable {
    let request: ClientRequest
    private struct Waiting {
        /// Nil once called, or after the request has left; it may refer to this waiter.
        var delegate: (any WaiterDelegate)?
        /// The rendition that it waits for or follows.
        var content: DerivedContent?
    }

    private let waiting: Lock<Waiting>
    private let owner: any WaiterOwner
    private let cancelled = Atomic<Bool>(false)

    init(request: ClientRequest, delegate: any WaiterDelegate, owner: any WaiterOwner) {
        self.request = request
        waiting = Lock(Waiting(delegate: delegate))
        self.owner = owner
    }

    /// The client left, or needs no more of the response: its load no longer counts this request.
    ///
    /// May be repeated, from any thread.
    public func cancel() {
        guard !cancelled.exchange(true, ordering: .relaxed) else { return }
        stopWaiting().content?.leave(self)
        leaveLoad()
    }

    /// The followed body was read to its end: the load need not know that.
    ///
    /// Cheaper than `cancel`. May be repeated, also after `cancel`.
    public func end() {
        guard !cancelled.exchange(true, ordering: .relaxed) else { return }
        guard let content = stopWaiting().content else { return }
        content.leave(self)
        leaveLoad()
    }

    /// The load no longer counts this request, which stays.
    func leaveLoad() { owner.cancel(self) }

    /// `delegate` will get the rendition `content`.
    func wait(for content: DerivedContent, delegate: any WaiterDelegate) {
        waiting.withLock { $0 = Waiting(delegate: delegate, content: content) }
    }

    /// Whether the request left before or while it began to wait for `content`; if so, it stops waiting.
    func hasLeft(_ content: DerivedContent) -> Bool {
        guard isCancelled else { return false }
        _ = stopWaiting()
        content.leave(self)
        return true
    }

    /// Stops waiting; returns what it waited for.
    private func stopWaiting() -> Waiting {
        waiting.withLock { waiting in
            defer { waiting = Waiting() }
            return waiting
        }
    }

    /// The delegate to call; nil once called, or after the request has left.
    var delegate: (any WaiterDelegate)? { waiting.withLock { $0.delegate } }

    /// Returns the delegate and releases it.
    func takeDelegate() -> (any WaiterDelegate)? {
        waiting.withLock { waiting in
            defer { waiting.delegate = nil }
            return waiting.delegate
        }
    }

    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }
}
