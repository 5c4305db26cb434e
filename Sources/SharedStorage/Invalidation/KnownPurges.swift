import HTTPCore
import Locking
import Stores

/// How far this node knows the purges of all nodes, and so what it can prove current.
///
/// Safe from any thread.
public final class KnownPurges: Sendable {
    /// What outlasts a restart.
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
        /// Whether a load has not waited for that.
        var hasLoadedBefore = false
    }

    private let state = Lock(State())

    init() {}

    /// Begins to follow: until the node has caught up, it uses nothing of the shared server, and validates what it has.
    ///
    /// - Parameters:
    ///   - saved: nil: nothing.
    ///   - now: without `saved` nothing that was received before is proven.
    func begin(_ saved: Position?, at now: HTTPDate) {
        let position = saved ?? Position(.none, now)
        state.withLock { $0 = State(saved: saved?.id, position: position, isCaughtUp: false) }
    }

    var saved: PurgeID? { state.withLock { $0.saved } }

    /// This node has made all changes up to this.
    func didApply(_ id: PurgeID) -> Position {
        state.withLock { state in
            state.position.id = id
            return state.position
        }
    }

    /// A load begins that does not wait until the node has caught up.
    func noteLoad() { state.withLock { if !$0.isCaughtUp { $0.hasLoadedBefore = true } } }

    /// Whether all that the node has is of an earlier run, so that `provenSince` distinguishes it.
    var isNew: Bool { state.withLock { !$0.isCaughtUp && !$0.hasLoadedBefore } }

    func didCatchUp() { state.withLock { $0.isCaughtUp = true } }

    /// Nothing that was received until now is proven current.
    func disprove(at now: HTTPDate) { state.withLock { $0.position.provenSince = HTTPDate(seconds: now.seconds + 1) } }

    /// Whether this node knows all purges of others, or did when it last heard of the server.
    public var isCaughtUp: Bool { state.withLock { $0.isCaughtUp } }

    /// The latest change that this node has made.
    var applied: PurgeID { state.withLock { $0.position.id } }

    /// The same record, invalid if the node cannot prove it current.
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
