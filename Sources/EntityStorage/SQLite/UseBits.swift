import HTTPCore
import Locking

/// Which rows were used since the hand of eviction passed them: set by look-ups and hits, in memory, saved now and then.
final class UseBits: Sendable {
    private struct Marks {
        var rows: Set<Int64> = []
        /// Not yet in the table `usage`.
        var unsaved: Set<Int64> = []
        /// Hashes of URIs used without a look-up.
        var resources: Set<UInt64> = []
        /// Of the database that is open.
        var seed: UInt64?
    }

    /// Beyond this many marks all are forgotten; losing them costs a few wrong evictions.
    private static let limit = 1_000_000

    private let marks = Lock(Marks())

    func touch(_ row: Int64) {
        marks.withLock { marks in
            if marks.rows.count >= UseBits.limit { marks.rows = [] }
            if marks.rows.insert(row).inserted { marks.unsaved.insert(row) }
        }
    }

    /// The database that is open hashes URIs with `seed`.
    func begin(seed: UInt64) { marks.withLock { $0.seed = seed } }

    func touch(_ uri: TargetURI) {
        guard let seed = marks.withLock({ $0.seed }) else { return }
        let resource = RecordKey.prefix(uri, seed: seed)
        marks.withLock { marks in
            if marks.resources.count >= UseBits.limit { marks.resources = [] }
            marks.resources.insert(resource)
        }
    }

    /// Whether the row was used; takes the mark away.
    func take(_ row: Int64, resource: UInt64) -> Bool {
        marks.withLock { marks in
            marks.unsaved.remove(row)
            let row = marks.rows.remove(row) != nil
            let resource = marks.resources.remove(resource) != nil
            return row || resource
        }
    }

    /// The rows marked since the last call.
    func takeUnsaved() -> [Int64] {
        marks.withLock { marks in
            let rows = Array(marks.unsaved)
            marks.unsaved = []
            return rows
        }
    }
}
