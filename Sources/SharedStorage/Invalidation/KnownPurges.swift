import HTTPCore
import Locking
import Stores

/// How far this node has read the purges of all nodes, and which of its responses are therefore proven current.
///
/// A response is proven if the node knew all purges of others when it received it. All others are validated before
/// use. Safe from any thread.
public final class KnownPurges: Sendable {
    /// What the node saves for its next start.
    public struct Position: Sendable, Equatable {
        var id: PurgeID
        /// Responses received before this are validated before use.
        var provenSince: HTTPDate

        /// Reads `text`; nil: it is none.
        public init?(_ text: String) {
            let words = text.split(whereSeparator: \.isWhitespace)
            guard words.count == 2, let id = PurgeID(String(words[0])), let seconds = Int64(words[1]) else {
                return nil
            }
            self.init(id, HTTPDate(seconds: seconds))
        }

        init(_ id: PurgeID, _ provenSince: HTTPDate) { (self.id, self.provenSince) = (id, provenSince) }

        public var text: String { "\(id.text) \(provenSince.seconds)\n" }
    }

    private struct State {
        /// What was saved before the start; nil: nothing.
        var saved: PurgeID?
        var position = Position(.none, HTTPDate(seconds: .min))
        var isCaughtUp = true
        /// Whether a load has begun before the node caught up.
        var hasLoadedBefore = false
    }

    private let state = Lock(State())

    init() {}

    /// Begins to follow: until the node has caught up, it uses nothing of the shared server, and validates what it has.
    ///
    /// - Parameters:
    ///   - saved: from the last run; nil: nothing was saved.
    ///   - now: without `saved`, nothing that was received before this is proven.
    func begin(_ saved: Position?, at now: HTTPDate) {
        let position = saved ?? Position(.none, now)
        state.withLock { $0 = State(saved: saved?.id, position: position, isCaughtUp: false) }
    }

    var saved: PurgeID? { state.withLock { $0.saved } }

    /// Notes that this node has made all changes up to `id`; returns the position to save.
    func didApply(_ id: PurgeID) -> Position {
        state.withLock { state in
            state.position.id = id
            return state.position
        }
    }

    /// Notes a load that begins although the node may not have caught up.
    func noteLoad() { state.withLock { if !$0.isCaughtUp { $0.hasLoadedBefore = true } } }

    /// Whether this run has loaded nothing before it caught up: then all that the node has is of an earlier run.
    var isNew: Bool { state.withLock { !$0.isCaughtUp && !$0.hasLoadedBefore } }

    func didCatchUp() { state.withLock { $0.isCaughtUp = true } }

    /// From now on, nothing that was received until `now` counts as proven.
    func disprove(at now: HTTPDate) { state.withLock { $0.position.provenSince = HTTPDate(seconds: now.seconds + 1) } }

    /// Whether this node knows all purges of others, or did when it last heard of the server.
    public var isCaughtUp: Bool { state.withLock { $0.isCaughtUp } }

    /// The latest change that this node has made.
    var applied: PurgeID { state.withLock { $0.position.id } }

    /// The same record, marked as invalidated unless the node can prove it current.
    ///
    /// - Parameter wasCaughtUp: whether the node had caught up before the record was read.
    func judged(_ record: StoredRecord, wasCaughtUp: Bool) -> StoredRecord {
        let isProven = state.withLock { state in
            wasCaughtUp && state.isCaughtUp && record.responseTime.seconds >= state.position.provenSince.seconds
        }
        if isProven || record.isInvalidated { return record }
        var record = record
        record.isInvalidated = true
        return record
    }
}
