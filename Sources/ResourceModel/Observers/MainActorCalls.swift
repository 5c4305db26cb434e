import Locking
import Platform
import ResourceCore

/// Calls observers on the main actor, each in the order of its calls.
///
/// A caller that is on the main actor makes them at once, the earlier ones of the same observer first. So
/// `observerAdded` comes inside the call that adds (S-207), and behind the end of a former observation (S-213).
final class MainActorCalls: Sendable {
    typealias Call = @MainActor @Sendable () -> Void

    private struct State {
        /// By observer; a call keeps its observer, so that no other object gets its identifier.
        var waiting: [ObjectIdentifier: [Call]] = [:]
        /// The thread that adds an observer on the main actor, which it does not leave meanwhile.
        var adding: UInt?
    }

    static let shared = MainActorCalls()

    private let state = Lock(State())

    /// Calls made inside `body` need not wait for the main actor: `body` is on it.
    @MainActor func whileAdding<R>(_ body: () -> R) -> R {
        let former = exchangeAdding(Thread.currentIdentifier)
        defer { _ = exchangeAdding(former) }
        return body()
    }

    private func exchangeAdding(_ thread: UInt?) -> UInt? {
        state.withLock { state in
            defer { state.adding = thread }
            return state.adding
        }
    }

    func perform(for observer: ObjectIdentifier, _ call: @escaping Call) {
        state.withLock { $0.waiting[observer, default: []].append(call) }
        if isOnMainActor {
            while callNext(of: observer) {}
        } else {
            SerialDelivery.onMainActor.submit { _ = self.callNext(of: observer) }
        }
    }

    private var isOnMainActor: Bool {
        let thread = Thread.currentIdentifier
        return SerialDelivery.onMainActor.isCurrent || state.withLock { $0.adding == thread }
    }

    /// Makes the next call of `observer`, on the main actor; returns whether there was one.
    private func callNext(of observer: ObjectIdentifier) -> Bool {
        guard let call = takeNext(of: observer) else { return false }
        MainActor.assumeIsolated { call() }
        return true
    }

    private func takeNext(of observer: ObjectIdentifier) -> Call? {
        state.withLock { state in
            guard var calls = state.waiting.removeValue(forKey: observer) else { return nil }
            let call = calls.removeFirst()
            if !calls.isEmpty { state.waiting[observer] = calls }
            return call
        }
    }
}
