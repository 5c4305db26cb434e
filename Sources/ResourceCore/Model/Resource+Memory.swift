/// Leaving memory.
extension Resource {
    /// `stored` leaves memory.
    func drop(_ stored: StoredResponse) {
        _ = perform { $0.drop(stored, hasStore: $1.environment.store != nil, &$2) }
        if stored.wasUsed { environment.store?.touch(uri) }
    }

    /// What `stored` keeps of its content turned out to be damaged: it is not served again, the store's copy of it goes, and
    /// the store is asked anew.
    public func contentIsDamaged(_ stored: StoredResponse) {
        if let content = stored.derivation { return content.discard() }
        perform { state, context, effects in
            let dropped = state.drop(stored, hasStore: context.environment.store != nil, &effects)
            effects.left.append(dropped ?? stored)
            // What has replaced it meanwhile stays.
            guard dropped != nil else { return }
            state.operations.append(.remove(partition: stored.partition, selection: stored.selection))
        }
    }

    /// Drops what is in memory if nobody observes or loads; the store keeps its copies (S-017).
    func flush() {
        perform { state, context, effects in
            guard state.observers.isEmpty, state.loads.isEmpty else { return }
            state.dropHeld(&effects)
            effects.left += state.variants
            for stored in state.variants {
                state.drop(stored, hasStore: context.environment.store != nil, &effects)
            }
        }
    }
}
