import Locking
import Transforms

/// The renditions of one original's content.
///
/// The response keeps this object while it loads, once it is stored, and after a 304 that leaves the content valid.
final class Renditions: Sendable {
    /// Where the original is.
    private enum Residence {
        /// Loading, or not kept in memory.
        case apart
        case inMemory
        /// The original has left memory with its renditions: nothing is kept any more.
        case gone
    }

    private struct Derived {
        weak var original: StoredResponse?
        let response: StoredResponse
    }

    private struct State {
        var residence = Residence.apart
        /// Oldest first.
        var contents: [DerivedContent] = []
        /// The responses that serve the contents.
        var derived: [RenditionKey: Derived] = [:]
        /// Renditions of the former response, until there is one of this response.
        var former: [RenditionKey: StoredResponse] = [:]
        /// The original, once the store was given it.
        weak var original: StoredResponse?
    }

    /// The most renditions of one original; one more replaces the oldest.
    private static let limit = 16

    private let state = Lock(State())
    /// Hits of all renditions; they count for the original, too.
    let hits = HitCount()

    // MARK: Responses

    /// The response that serves `original` under `key`, if it was made before.
    func derived(of original: StoredResponse, _ key: RenditionKey) -> StoredResponse? {
        state.withLock { state in
            guard let derived = state.derived[key], derived.original === original else { return nil }
            return derived.response
        }
    }

    /// Keeps the response that serves `original`, as long as its content is kept.
    func keep(_ response: StoredResponse, of original: StoredResponse, _ content: DerivedContent) {
        state.withLock { state in
            guard state.contents.contains(where: { $0 === content }) else { return }
            state.derived[content.key] = Derived(original: original, response: response)
            state.former = [:]
        }
    }

    /// Keeps the renditions of the response that this one replaces, in case renditions of this one fail.
    func succeed(_ renditions: Renditions) {
        let former = renditions.state.withLock { state in
            state.derived.isEmpty ? state.former : state.derived.mapValues(\.response)
        }
        state.withLock { $0.former = former }
    }

    /// The rendition of the former response under `key`.
    func former(_ key: RenditionKey) -> StoredResponse? { state.withLock { $0.former[key] } }

    // MARK: The store

    /// The original, if the store was given it.
    var original: StoredResponse? { state.withLock { $0.original } }

    /// The store was given the original: its renditions may follow.
    func didCommit(_ original: StoredResponse) {
        let contents = state.withLock { state in
            state.original = original
            return state.contents
        }
        for content in contents { content.persist() }
    }

    // MARK: Contents

    /// The content under `key`, or a new one from `make`.
    ///
    /// `left` are contents to drop: those of another pipeline, and the oldest if there are too many.
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

    /// Forgets a content; returns whether it was there.
    @discardableResult
    func remove(_ content: DerivedContent) -> Bool {
        state.withLock { state in
            guard let index = state.contents.firstIndex(where: { $0 === content }) else { return false }
            state.contents.remove(at: index)
            state.derived[content.key] = nil
            return true
        }
    }

    /// The original entered memory; returns its renditions that use memory of their own.
    func enterMemory() -> [DerivedContent] {
        state.withLock { state in
            guard state.residence == .apart else { return [] }
            state.residence = .inMemory
            return state.contents.filter(\.isCharged)
        }
    }

    /// The original has left memory; returns its renditions, which leave with it.
    func leaveMemory() -> [DerivedContent] {
        state.withLock { state in
            let left = state.contents
            state = State()
            state.residence = .gone
            return left
        }
    }
}
