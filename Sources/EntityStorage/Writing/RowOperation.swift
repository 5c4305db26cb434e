import HTTPCaching
import HTTPCore
import Stores
import Transforms

/// A change of rows; the writer carries out changes in the order of the calls.
enum RowOperation: Sendable {
    case commit(StoredRecord, @Sendable (Bool) -> Void)
    case commitRendition(StoredRendition, of: StoredRecord, @Sendable (Bool) -> Void)
    case freshen(StoredRecord, @Sendable (Bool) -> Void)
    case invalidate(TargetURI, @Sendable (Bool) -> Void)
    case removeVariant(TargetURI, Partition, [UInt8])
    case remove(TargetURI, @Sendable (Int) -> Void)
    /// Removes a row whose sums do not match.
    case dropDamaged(TargetURI, row: Int64)
    /// Removes the rows of a URI that SQLite cannot read.
    case dropUnreadable(TargetURI)

    var uri: TargetURI {
        switch self {
        case .commit(let record, _), .freshen(let record, _), .commitRendition(_, let record, _): record.uri
        case .invalidate(let uri, _), .removeVariant(let uri, _, _), .remove(let uri, _): uri
        case .dropDamaged(let uri, _), .dropUnreadable(let uri): uri
        }
    }

    // MARK: Size

    /// Bytes that go into rows.
    var bytes: Int64 {
        switch self {
        case .commit(let record, _):
            if case .bytes = record.body { record.headBytes + record.body.count } else { record.headBytes }
        case .commitRendition(let rendition, let original, _):
            if case .bytes = rendition.body { original.headBytes + rendition.body.count } else { original.headBytes }
        case .freshen(let record, _): record.headBytes
        case .invalidate, .removeVariant, .remove, .dropDamaged, .dropUnreadable: 0
        }
    }

    /// An upper bound of the pages that a transaction changes for it.
    var frames: Int { Int(bytes / StoreLimits.pageSize) + 10 + 2 * tagCount }

    private var tagCount: Int {
        switch self {
        case .commit(let record, _), .freshen(let record, _): CacheTags.tags(of: record.fields, from: record.uri).count
        case .commitRendition, .invalidate, .removeVariant, .remove, .dropDamaged, .dropUnreadable: 0
        }
    }

    /// The most pages by which the database may grow for it.
    var pagesNeeded: Int64 {
        switch self {
        case .commit, .commitRendition: bytes / StoreLimits.pageSize + 3 + Int64(tagCount / 16)
        case .freshen: 1 + Int64(tagCount / 16)
        case .invalidate, .removeVariant, .remove, .dropDamaged, .dropUnreadable: 0
        }
    }

    // MARK: Kind

    /// Whether it adds a row; such an operation may be refused.
    var isCommit: Bool {
        switch self {
        case .commit, .commitRendition: true
        case .freshen, .invalidate, .removeVariant, .remove, .dropDamaged, .dropUnreadable: false
        }
    }

    var isInvalidation: Bool {
        if case .invalidate = self { true } else { false }
    }

    /// Whether a caller waits for it, so that it must not be dropped.
    var isPromise: Bool {
        if case .remove = self { true } else { false }
    }

    /// What the rows of its URI need if it cannot be made.
    var pendingChange: PendingDeletes.Change {
        switch self {
        case .commit, .commitRendition, .freshen: .supersede
        case .invalidate: .invalidate
        case .removeVariant, .remove, .dropDamaged, .dropUnreadable: .remove
        }
    }

    // MARK: Outcome

    /// Reports the outcome to the caller: the number of rows changed, or nil if the operation was given up.
    func complete(_ outcome: Int?) {
        switch self {
        case .commit(_, let durable), .freshen(_, let durable), .invalidate(_, let durable),
            .commitRendition(_, _, let durable):
            durable(outcome != nil)
        case .remove(_, let completion): completion(outcome ?? 0)
        case .removeVariant, .dropDamaged, .dropUnreadable: break
        }
    }

    /// The outcome after the database was lost: nothing is stored, and nothing is left to remove.
    var outcomeOfLoss: Int? {
        switch self {
        case .commit, .commitRendition, .freshen: nil
        case .invalidate, .removeVariant, .remove, .dropDamaged, .dropUnreadable: 0
        }
    }
}

extension StoredRecord {
    /// The approximate size of the row without the body, in bytes.
    fileprivate var headBytes: Int64 {
        let fields = fields.bytes.count + requestFields.bytes.count
        return Int64(uri.bytes.count + selection.count + fields + pieces.encoded.count) + 128
    }
}
