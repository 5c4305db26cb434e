import Exchanges
import HTTPCore
import Locking
import Stores
import Transforms

/// Renditions that the store keeps.
extension DerivedContent {
    /// The store has the rendition: only its head is made, which needs no content.
    func restore(_ rendition: StoredRendition, of stored: StoredResponse) {
        let isTaken =
            environment.transforms.workers?.submit {
                guard case .success(let begun) = self.beginHead(of: stored) else { return self.make() }
                self.didRestore(rendition, begun.outline)
            } ?? false
        // The run reports the overload.
        if !isTaken { make() }
    }

    private func didRestore(_ rendition: StoredRendition, _ outline: PipelinePlan.Outline) {
        state.withLock { state in
            state.finalized = rendition.body
            state.digest = rendition.digest.isEmpty ? nil : String(decoding: rendition.digest, as: UTF8.self)
            state.isEnded = true
            state.isStored = true
            state.output = nil
            state.redaction = nil
        }
        run.abandon()
        environment.renditions.noteRestored()
        didBecomeReady(.changed(outline))
        if renditions?.isInMemory(self) ?? false { delegate?.renditionDidEnter(self) }
    }

    /// The content is complete: it may be stored once its head is known.
    func noteOriginal() {
        guard environment.store != nil, let original = original ?? renditions?.original else { return }
        state.withLock { if !$0.isStored { $0.record = original.record } }
    }

    /// Newer contents have replaced this one: it is not stored any more.
    func forgoStore() { state.withLock { $0.isStored = true } }

    /// Gives it to the store, once it is complete and its original is stored.
    func persist() {
        guard let store = environment.store else { return }
        if let original = renditions?.original { state.withLock { if !$0.isStored { $0.record = original.record } } }
        let made = state.withLock { state -> (PipelinePlan.Outline, RecordBody, String?, StoredRecord)? in
            guard !state.isStored, let finalized = state.finalized, case .changed(let outline) = state.ready,
                let record = state.record
            else { return nil }
            state.isStored = true
            state.record = nil
            return (outline, finalized, state.digest, record)
        }
        guard let (outline, body, digest, original) = made else { return }
        let head = DerivedHead.fields(outline, of: fields, key, digest: digest)
        let rendition = StoredRendition(
            name: key.name,
            fields: head.descriptive,
            digest: Array((digest ?? "").utf8),
            madeAt: environment.timekeeper.wallNow,
            body: body
        )
        store.commit(rendition, of: original) { [weak delegate] in if $0 { delegate?.didBecomeDurable() } }
    }
}

extension Fields {
    /// The fields that describe the content: type, coding and tag.
    fileprivate var descriptive: Fields {
        var descriptive = Fields()
        for field in [KnownField.contentType, .contentEncoding, .etag] {
            for value in values(of: field) { descriptive.append(field, value) }
        }
        return descriptive
    }
}

extension RenditionKey {
    /// Raised whenever a transformer produces other bytes than before with the same options.
    private static let edition = 1

    /// The name of the rendition in a store.
    var name: RenditionName { RenditionName(pipeline: "\(Self.edition)-\(fingerprint)", variation: variation) }
}
