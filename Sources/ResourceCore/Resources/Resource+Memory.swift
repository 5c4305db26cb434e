import HTTPCore
import Locking

/// Leaving memory.
extension Resource {
    /// `stored` leaves memory.
    func drop(_ stored: StoredResponse) {
        perform { _ = $0.drop(stored) }
        if stored.hitCount > 0 { environment.store?.touch(uri) }
    }

    /// The content of `stored` is damaged: it is not served again, the store drops its copy, and is looked up anew.
    package func contentIsDamaged(_ stored: StoredResponse) {
        if let content = stored.derivation { return content.discard() }
        perform { transition in
            let dropped = transition.drop(stored)
            transition.effects.left.append(dropped ?? stored)
            // A newer response stays.
            if dropped != nil { transition.effects.removeFromStore(stored) }
        }
    }

    /// Drops what is in memory if nobody observes or loads; the store keeps its copies (S-017).
    func flush() { perform { $0.flush() } }

    /// Drops observers that no longer exist, before the table asks whether any are left (S-214).
    func releaseDefunctObservers() {
        guard state.withLock({ $0.isObserved }) else { return }
        perform { $0.releaseDefunctObservers() }
    }
}
