import Locking
import Synchronization
import Transforms

/// The forms made of one original's content; the same object for the response while it arrives, once it is stored, and
/// after a 304 that left the content valid.
final class Renditions: Sendable {
    /// Where the original is.
    private enum Residence {
        /// On its way, or nowhere.
        case apart
        case inMemory
        /// It has left memory, and its forms with it: nothing is kept any more.
        case gone
    }

    private struct Derived {
        weak var original: StoredResponse?
        let response: StoredResponse
    }

    private struct State {
        var residence = Residence.apart
        /// The oldest first.
        var contents: [DerivedContent] = []
        /// With their heads, by form.
        var derived: [RenditionKey: Derived] = [:]
        /// What was served of the response before this one, until a form of this one is.
        var former: [RenditionKey: StoredResponse] = [:]
        /// What the store was given.
        weak var original: StoredResponse?
    }

    /// Forms of one original; with one more the oldest leaves.
    private static let limit = 16

    private let state = Lock(State())
    /// Uses of forms since the policy asked: they are uses of the original too.
    private let uses = Atomic<Int>(0)

    func noteUse() {
        let count = uses.load(ordering: .relaxed)
        if count < 3 { uses.store(count + 1, ordering: .relaxed) }
    }

    func takeUses() -> Int { uses.exchange(0, ordering: .relaxed) }

    // MARK: Responses

    /// What is served of `original` under `key`, if it was made before.
    func derived(of original: StoredResponse, _ key: RenditionKey) -> StoredResponse? {
        state.withLock { state in
            guard let derived = state.derived[key], derived.original === original else { return nil }
            return derived.response
        }
    }

    /// Keeps what is served of `original`, as long as its content is kept.
    func keep(_ response: StoredResponse, of original: StoredResponse, _ content: DerivedContent) {
        state.withLock { state in
            guard state.contents.contains(where: { $0 === content }) else { return }
            state.derived[content.key] = Derived(original: original, response: response)
            state.former = [:]
        }
    }

    /// Keeps what is served of the response that this one is going to replace: good data, should this one's forms fail.
    func succeed(_ renditions: Renditions) {
        let former = renditions.state.withLock { state in
            state.derived.isEmpty ? state.former : state.derived.mapValues(\.response)
        }
        state.withLock { $0.former = former }
    }

    /// What was served under `key` of the response before.
    func former(_ key: RenditionKey) -> StoredResponse? { state.withLock { $0.former[key] } }

    // MARK: The store

    /// The original, if the store was given it.
    var original: StoredResponse? { state.withLock { $0.original } }

    /// The store was given the original: its forms may follow.
    func didCommit(_ original: StoredResponse) {
        let contents = state.withLock { state in
            state.original = original
            return state.contents
        }
        for content in contents { content.persist() }
    }

    // MARK: Contents

    /// The content under `key`, or a new one that `make` makes; and those that go because the pipeline is another one now,
    /// or because there are too many.
    func content(
        _ key: RenditionKey,
        make: () -> DerivedContent
    ) -> (DerivedContent, isNew: Bool, left: [DerivedContent]) {
        state.withLock { state in
            if let known = state.contents.first(where: { $0.key == key && $0.acceptsReaders }) {
                return (known, false, [])
            }
            let made = make()
            guard state.residence != .gone else { return (made, true, []) }
            var left: [DerivedContent] = []
            state.contents.removeAll { content in
                let isObsolete = content.key == key || content.key.fingerprint != key.fingerprint
                if isObsolete { left.append(content) }
                return isObsolete
            }
            while state.contents.count >= Self.limit { left.append(state.contents.removeFirst()) }
            for content in left { state.derived[content.key] = nil }
            state.contents.append(made)
            return (made, true, left)
        }
    }

    /// Whether `content` is kept with an original in memory.
    func isInMemory(_ content: DerivedContent) -> Bool {
        state.withLock { state in
            state.residence == .inMemory && state.contents.contains { $0 === content }
        }
    }

    /// Forgets a content; whether it was there.
    @discardableResult
    func remove(_ content: DerivedContent) -> Bool {
        state.withLock { state in
            guard let index = state.contents.firstIndex(where: { $0 === content }) else { return false }
            state.contents.remove(at: index)
            state.derived[content.key] = nil
            return true
        }
    }

    /// The original is in memory: those of its forms that cost something now.
    func enterMemory() -> [DerivedContent] {
        state.withLock { state in
            guard state.residence == .apart else { return [] }
            state.residence = .inMemory
            return state.contents.filter(\.isCharged)
        }
    }

    /// The original has left memory: its forms, which go with it.
    func leaveMemory() -> [DerivedContent] {
        state.withLock { state in
            let left = state.contents
            state = State()
            state.residence = .gone
            return left
        }
    }
}
