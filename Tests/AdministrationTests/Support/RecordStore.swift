import Dispatch
import Exchanges
import HTTPCaching
import HTTPCore
import Locking
import Stores
import Transforms

/// A store in memory; completions run on a thread of its own.
final class RecordStore: VariantStore {
    private let records = Lock<[StoredRecord]>([])
    private let queue = DispatchQueue(label: "store")
    private let counted = Lock(0)

    /// How often the store was listed.
    var listings: Int { counted.withLock { $0 } }

    var all: [StoredRecord] { records.withLock { $0 } }
    func put(_ record: StoredRecord) { records.withLock { $0.append(record) } }

    func lookUp(_ uri: TargetURI, _ completion: @escaping @Sendable ([StoredRecord]) -> Void) {
        queue.async { completion(self.all.filter { $0.uri == uri }) }
    }

    func makeBody(expected: Int64?) -> (any BodyWriter)? { nil }

    func commit(_ record: StoredRecord, durable: @escaping @Sendable (Bool) -> Void) {
        put(record)
        queue.async { durable(true) }
    }

    func freshen(_ record: StoredRecord, durable: @escaping @Sendable (Bool) -> Void) {
        queue.async { durable(true) }
    }

    func invalidate(_ uri: TargetURI, durable: @escaping @Sendable (Bool) -> Void) {
        records.withLock { records in
            for index in records.indices where records[index].uri == uri { records[index].isInvalidated = true }
        }
        queue.async { durable(true) }
    }

    func remove(_ uri: TargetURI, partition: Partition, selection: [UInt8]) {
        records.withLock { $0.removeAll { $0.uri == uri && $0.partition == partition && $0.selection == selection } }
    }

    func remove(_ uri: TargetURI, _ completion: @escaping @Sendable (Int) -> Void) {
        removeAll(where: { $0 == uri }, completion)
    }

    func removeAll(
        where condition: @escaping @Sendable (TargetURI) -> Bool,
        _ completion: @escaping @Sendable (Int) -> Void
    ) {
        let count = records.withLock { records in
            let before = records.count
            records.removeAll { condition($0.uri) }
            return before - records.count
        }
        queue.async { completion(count) }
    }

    func removeAll(taggedBy tags: Set<CacheTag>, _ completion: @escaping @Sendable (Int) -> Void) {
        let count = records.withLock { records in
            let before = records.count
            records.removeAll { Self.has($0, tags) }
            return before - records.count
        }
        queue.async { completion(count) }
    }

    /// The renditions that the store tells of, whatever the URI.
    let renditions = Lock<[StoredRenditionSummary]>([])

    func listRenditions(of uri: TargetURI, _ completion: @escaping @Sendable ([StoredRenditionSummary]) -> Void) {
        completion(renditions.withLock { $0 })
    }

    /// What other nodes were told.
    let announcements = Lock<[String]>([])

    func announce(_ change: SharedChange) {
        let text =
            switch change {
            case .purge(let uri): "purge \(uri.text)"
            case .invalidate(let uri): "invalidate \(uri.text)"
            case .purgeTags(let tags): "purge \(tags.count) tags"
            case .purgeMatching(let text, _): "purge matching \(text)"
            }
        announcements.withLock { $0.append(text) }
    }

    func list(taggedBy tags: Set<CacheTag>, _ then: @escaping @Sendable ([TargetURI]) -> Void) {
        let uris = all.filter { Self.has($0, tags) }.map(\.uri)
        queue.async { then(uris) }
    }

    private static func has(_ record: StoredRecord, _ tags: Set<CacheTag>) -> Bool {
        !tags.isDisjoint(with: CacheTags.tags(of: record.fields, from: record.uri))
    }

    func list(
        after cursor: Int64,
        limit: Int,
        where test: any RowTest,
        _ completion: @escaping @Sendable (StoredPage) -> Void
    ) {
        counted.withLock { $0 += 1 }
        let uris = all.map(\.uri).reduce(into: [TargetURI]()) { if !$0.contains($1) { $0.append($1) } }
        let page = uris.enumerated().dropFirst(Int(cursor)).prefix(limit).compactMap { place, uri in
            all.first { $0.uri == uri }.map { record in
                StoredSummary(
                    id: Int64(place + 1),
                    uri: uri,
                    partition: record.partition,
                    status: record.status,
                    count: record.body.count,
                    fields: record.fields,
                    requestTime: record.requestTime,
                    responseTime: record.responseTime,
                    isInvalidated: record.isInvalidated
                )
            }
        }
        let wanted = page.filter { record in
            let uri = test.uri(of: record.uri.bytes.span, status: record.status, contentBytes: record.count)
            return uri != nil && test.wants(record)
        }
        queue.async { completion(StoredPage(wanted, next: page.last?.id)) }
    }

    func flush(_ completion: @escaping @Sendable () -> Void) { queue.async(execute: completion) }
}

/// Clocks that stand still.
final class StandingClock: Timekeeper {
    private final class Token: TimerToken { func cancel() {} }

    let now = MonotonicTime(nanoseconds: 1_000_000_000_000)
    let wallNow = HTTPDate(seconds: 1_700_000_000)

    func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> any TimerToken { Token() }
}

/// A clock by which 100 ms pass between two readings.
final class HurriedClock: Timekeeper {
    private final class Token: TimerToken { func cancel() {} }

    private let readings = Lock<Int64>(0)
    let wallNow = HTTPDate(seconds: 1_700_000_000)

    var now: MonotonicTime {
        let count = readings.withLock { count in
            count += 1
            return count
        }
        return MonotonicTime(nanoseconds: count * 100_000_000)
    }

    func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> any TimerToken { Token() }
}

final class PlainHasher: PartitionHasher {
    func hash(_ credentials: [UInt8]) -> [UInt8] { credentials }
}

extension StoredRecord {
    /// A response stored `age` seconds ago by `StandingClock`.
    static func sample(
        _ uri: String,
        _ content: String = "content",
        partition: Partition = .shared,
        status: UInt16 = 200,
        fields: [(String, String)] = [("Cache-Control", "max-age=60"), ("Content-Type", "text/html")],
        age: Int64 = 10,
        body: RecordBody? = nil
    ) throws -> StoredRecord {
        var stored = Fields()
        for (name, value) in fields { stored.append(name: name, value: value) }
        let time = HTTPDate(seconds: 1_700_000_000 - age)
        return StoredRecord(
            uri: try TargetURI(parsing: uri),
            partition: partition,
            selection: [],
            status: status,
            reason: [],
            fields: stored,
            requestFields: Fields(),
            requestTime: time,
            responseTime: time,
            isInvalidated: false,
            body: body ?? .bytes(Array(content.utf8))
        )
    }
}
