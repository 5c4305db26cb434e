import HTTPCore
import Locking

/// Leaving memory.
extension Resource {
    /// `stored` leaves memory.
    func drop(_ stored: StoredResponse) {
        perform { _ = $0.drop(stored) }
        if stored.wasUsed { environment.store?.touch(uri) }
    }

    /// What `stored` keeps of its content turned out to be damaged: it is not served again, the store's copy of it goes, and
    /// the store is asked anew.
    public func contentIsDamaged(_ stored: StoredResponse) {
        if let content = stored.derivation { return content.discard() }
        perform { transition in
            let dropped = transition.drop(stored)
            transition.effects.left.append(dropped ?? stored)
            // What has replaced it meanwhile stays.
            if dropped != nil { transition.effects.removeFromStore(stored) }
        }
    }

    /// Drops what is in memory if nobody observes or loads; the store keeps its copies (S-017).
    func flush() { perform { $0.flush() } }

    /// Lets go of observers that are no more, before it is asked whether there are any (S-214).
    func releaseDefunctObservers() {
        guard state.withLock({ $0.isObserved }) else { return }
        perform { $0.releaseDefunctObservers() }
    }
}
