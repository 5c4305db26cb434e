import Exchanges
import HTTPCore
import Locking

/// Forms that outlive memory and process.
extension DerivedContent {
    /// It was made before: only its head is made, for which no content is needed.
    func restore(_ form: StoredForm, of stored: StoredResponse) {
        let isTaken =
            environment.transformWorkers?.submit {
                guard case .success(let begun) = self.beginHead(of: stored) else { return self.make() }
                self.didRestore(form, begun.outline)
            } ?? false
        // The run tells that there is too much to do.
        if !isTaken { make() }
    }

    private func didRestore(_ form: StoredForm, _ outline: PipelinePlan.Outline) {
        state.withLock { state in
            state.sealed = form.body
            state.digest = form.digest.isEmpty ? nil : String(decoding: form.digest, as: UTF8.self)
            state.isEnded = true
            state.isStored = true
            state.output = nil
            state.redaction = nil
        }
        run.abandon()
        environment.forms.noteRestored()
        didBecomeReady(.changed(outline))
        if forms?.isInMemory(self) ?? false { resource?.formDidEnter(self) }
    }

    /// It is whole, and may be given to the store once its head is known.
    func noteOriginal() {
        guard environment.store != nil, let original = original ?? forms?.original else { return }
        state.withLock { if !$0.isStored { $0.record = original.record } }
    }

    /// Others have taken its place: it is not stored any more.
    func forgo() { state.withLock { $0.isStored = true } }

    /// Gives it to the store, once it is whole and its original is there.
    func persist() {
        guard let store = environment.store else { return }
        if let original = forms?.original { state.withLock { if !$0.isStored { $0.record = original.record } } }
        let made = state.withLock { state -> (PipelinePlan.Outline, RecordBody, String?, StoredRecord)? in
            guard !state.isStored, let sealed = state.sealed, case .changed(let outline) = state.ready,
                let record = state.record
            else { return nil }
            state.isStored = true
            state.record = nil
            return (outline, sealed, state.digest, record)
        }
        guard let (outline, body, digest, original) = made else { return }
        let head = DerivedHead.fields(outline, of: fields, key, digest: digest)
        let form = StoredForm(
            name: key.name,
            fields: head.shown,
            digest: Array((digest ?? "").utf8),
            madeAt: environment.timekeeper.wallNow,
            body: body
        )
        store.commit(form, of: original) { [weak resource] in if $0 { resource?.didBecomeDurable() } }
    }
}

extension Fields {
    /// What tells people what content is: its type, coding and tag.
    fileprivate var shown: Fields {
        var shown = Fields()
        for field in [KnownField.contentType, .contentEncoding, .etag] {
            for value in values(of: field) { shown.append(field, value) }
        }
        return shown
    }
}
