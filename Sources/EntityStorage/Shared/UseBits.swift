import HTTPCore
import Locking

/// Rows that were used since eviction last considered them; safe from any thread.
///
/// Look-ups and hits set the marks, in memory; the writer saves them from time to time.
final class UseBits: Sendable {
    private struct Marks {
        var rows: Set<Int64> = []
        /// Rows that are not in the table `usage` yet.
        var unsaved: Set<Int64> = []
        /// Hashes of URIs that were used without a look-up.
        var resources: Set<UInt64> = []
        /// The seed of the open database's hashes.
        var seed: UInt64?
    }

    /// With this many marks all are dropped; that costs a few wrong evictions.
    private static let limit = 1_000_000

    private let marks = Lock(Marks())

    func touch(_ row: Int64) {
        marks.withLock { marks in
            if marks.rows.count >= UseBits.limit { marks.rows = [] }
            if marks.rows.insert(row).inserted { marks.unsaved.insert(row) }
        }
    }

    /// A database is open that hashes URIs with `seed`.
    func begin(seed: UInt64) { marks.withLock { $0.seed = seed } }

    func touch(_ uri: TargetURI) {
        guard let seed = marks.withLock({ $0.seed }) else { return }
        let resource = RecordKey.prefix(uri, seed: seed)
        marks.withLock { marks in
            if marks.resources.count >= UseBits.limit { marks.resources = [] }
            marks.resources.insert(resource)
        }
    }

    /// Removes the marks of a row and of its URI; returns whether there was one.
    ///
    /// - Parameter resource: the hash of the URI.
    func take(_ row: Int64, resource: UInt64) -> Bool {
        marks.withLock { marks in
            marks.unsaved.remove(row)
            let row = marks.rows.remove(row) != nil
            let resource = marks.resources.remove(resource) != nil
            return row || resource
        }
    }

    /// The rows that were marked since the last call.
    func takeUnsaved() -> [Int64] {
        marks.withLock { marks in
            let rows = Array(marks.unsaved)
            marks.unsaved = []
            return rows
        }
    }

    /// Notes that these rows could not be saved; rows whose marks were taken meanwhile are left out.
    func putBack(_ rows: ArraySlice<Int64>) {
        marks.withLock { marks in marks.unsaved.formUnion(rows.filter(marks.rows.contains)) }
    }
}
