package import HTTPCaching
package import HTTPCore
import Locking
package import Stores
package import TestDoubles
package import Transforms

/// A store in memory whose answers come when the test says so.
package final class MemoryVariantStore: VariantStore {
    private struct Slot: Hashable {
        let uri: TargetURI
        let partition: Partition
        let selection: [UInt8]
    }

    private struct State {
        var renditions: [Slot: [RenditionName: StoredRendition]] = [:]
        var records: [TargetURI: [StoredRecord]] = [:]
        var queue: [@Sendable () -> Void] = []
        var log: [String] = []
        var writers: [MemoryBodyWriter] = []
        var refusesBodies = false
    }

    private let state = Lock(State())
    /// Done once, at the beginning of the next invalidation, or at the end of the next removal by a condition.
    package let interruption = LockedBox<(@Sendable () -> Void)?>(nil)
    /// Runs completions at once instead of when told.
    package let isImmediate: Bool
    package let keepsPrivate: Bool

    package init(isImmediate: Bool = true, keepsPrivate: Bool = true) {
        self.isImmediate = isImmediate
        self.keepsPrivate = keepsPrivate
    }

    // MARK: For tests

    package var log: [String] { state.withLock { $0.log } }
    package var writers: [MemoryBodyWriter] { state.withLock { $0.writers } }
    package func records(of uri: TargetURI) -> [StoredRecord] { state.withLock { $0.records[uri] ?? [] } }
    package func renditions(of path: String) -> [RenditionName: StoredRendition] {
        state.withLock { state in state.renditions.first { $0.key.uri == World.uri(path) }?.value ?? [:] }
    }
    package func put(_ record: StoredRecord) { state.withLock { $0.records[record.uri, default: []].append(record) } }
    package func refuseBodies() { state.withLock { $0.refusesBodies = true } }

    /// Runs the completions that wait.
    @discardableResult
    package func run() -> Bool {
        var didRun = false
        while let work = state.withLock({ $0.queue.isEmpty ? nil : $0.queue.removeFirst() }) {
            didRun = true
            work()
        }
        return didRun
    }

    private func later(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.queue.append(work) }
    }

    private func change(_ note: String, _ body: (inout [TargetURI: [StoredRecord]]) -> Void) {
        state.withLock { state in
            state.log.append(note)
            body(&state.records)
        }
    }

    // MARK: VariantStore

    package func lookUp(_ uri: TargetURI, _ completion: @escaping @Sendable ([StoredRecord]) -> Void) {
        state.withLock { $0.log.append("lookUp") }
        let found = records(of: uri)
        later { completion(found) }
    }

    package func makeBody(expected: Int64?) -> (any BodyWriter)? {
        state.withLock { state in
            if state.refusesBodies { return nil }
            let writer = MemoryBodyWriter()
            state.writers.append(writer)
            return writer
        }
    }

    package func commit(_ record: StoredRecord, durable: @escaping @Sendable (Bool) -> Void) {
        if record.isPurged?() == true { return later { durable(false) } }
        change("commit") { records in
            records[record.uri, default: []].removeAll {
                $0.partition == record.partition && $0.selection == record.selection && !record.leaves($0)
            }
            records[record.uri, default: []].append(record)
        }
        state.withLock { $0.renditions[Self.slot(record)] = nil }
        later { durable(true) }
    }

    private static func slot(_ record: StoredRecord) -> Slot {
        Slot(uri: record.uri, partition: record.partition, selection: record.selection)
    }

    package func commit(
        _ rendition: StoredRendition,
        of original: StoredRecord,
        durable: @escaping @Sendable (Bool) -> Void
    ) {
        let isThere = records(of: original.uri).contains {
            Self.slot($0) == Self.slot(original) && $0.body.count == original.body.count
        }
        if isThere {
            state.withLock { state in
                state.log.append("commitRendition")
                state.renditions[Self.slot(original), default: [:]][rendition.name] = rendition
            }
        }
        later { durable(isThere) }
    }

    package func lookUp(
        _ name: RenditionName,
        of original: StoredRecord,
        _ completion: @escaping @Sendable (StoredRendition?) -> Void
    ) {
        let found = state.withLock { $0.renditions[Self.slot(original)]?[name] }
        later { completion(found) }
    }

    package func freshen(_ record: StoredRecord, durable: @escaping @Sendable (Bool) -> Void) {
        change("freshen") { records in
            records[record.uri] = records[record.uri]?.map {
                $0.partition == record.partition && $0.selection == record.selection ? record.freshening($0) : $0
            }
        }
        later { durable(true) }
    }

    package func invalidate(_ uri: TargetURI, durable: @escaping @Sendable (Bool) -> Void) {
        interruption.change { $0.take() }?()
        change("invalidate") { records in
            records[uri] = records[uri]?.map { record in
                var marked = record
                marked.isInvalidated = true
                return marked
            }
        }
        later { durable(true) }
    }

    package func remove(_ uri: TargetURI, partition: Partition, selection: [UInt8]) {
        change("remove") { $0[uri]?.removeAll { $0.partition == partition && $0.selection == selection } }
    }

    package func remove(_ uri: TargetURI, _ completion: @escaping @Sendable (Int) -> Void) {
        let count = records(of: uri).count
        change("removeAll") { $0[uri] = nil }
        state.withLock { state in state.renditions = state.renditions.filter { $0.key.uri != uri } }
        later { completion(count) }
    }

    package func removeAll(
        where condition: @escaping @Sendable (TargetURI) -> Bool,
        _ completion: @escaping @Sendable (Int) -> Void
    ) {
        let count = state.withLock { state -> Int in
            let hit = state.records.filter { condition($0.key) }
            for uri in hit.keys { state.records[uri] = nil }
            return hit.values.reduce(0) { $0 + $1.count }
        }
        interruption.change { $0.take() }?()
        later { completion(count) }
    }

    package func removeAll(taggedBy tags: Set<CacheTag>, _ completion: @escaping @Sendable (Int) -> Void) {
        let count = state.withLock { state -> Int in
            let before = state.records.values.reduce(0) { $0 + $1.count }
            state.records = state.records.mapValues { $0.filter { !Self.has($0, tags) } }
            return before - state.records.values.reduce(0) { $0 + $1.count }
        }
        interruption.change { $0.take() }?()
        later { completion(count) }
    }

    package func list(taggedBy tags: Set<CacheTag>, _ then: @escaping @Sendable ([TargetURI]) -> Void) {
        let uris = state.withLock { $0.records.values.joined().filter { Self.has($0, tags) }.map(\.uri) }
        later { then(uris) }
    }

    private static func has(_ record: StoredRecord, _ tags: Set<CacheTag>) -> Bool {
        !tags.isDisjoint(with: CacheTags.tags(of: record.fields, from: record.uri))
    }

    package func touch(_ uri: TargetURI) { change("touch") { _ in } }

    package func list(
        after cursor: Int64,
        limit: Int,
        where test: any RowTest,
        _ completion: @escaping @Sendable (StoredPage) -> Void
    ) {
        later { completion(StoredPage([], next: nil)) }
    }

    package func flush(_ completion: @escaping @Sendable () -> Void) { later(completion) }
}

/// A body file in memory; flushes when told.
package final class MemoryBodyWriter: BodyWriter {
    private struct State {
        var bytes: [UInt8] = []
        var waiting: [(Int64, @Sendable (Int64?) -> Void)] = []
        var finish: (@Sendable ((any BodyFile)?) -> Void)?
        var isDiscarded = false
    }

    private let state = Lock(State())

    package let descriptor: Int32 = 99
    package var bytes: [UInt8] { state.withLock { $0.bytes } }
    package var isDiscarded: Bool { state.withLock { $0.isDiscarded } }

    package func read(_ count: Int, at offset: Int64) -> [UInt8]? { Array(bytes.dropFirst(Int(offset)).prefix(count)) }

    package func append(_ chunk: ByteChunk, _ completion: @escaping @Sendable (Int64?) -> Void) {
        state.withLock { state in
            state.bytes += chunk.bytes
            state.waiting.append((Int64(state.bytes.count), completion))
        }
    }

    /// Flushes what was appended; with `refuse` says that the disk is full.
    package func flush(refuse: Bool = false) {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for (count, completion) in waiting { completion(refuse ? nil : count) }
    }

    package func finish(_ completion: @escaping @Sendable ((any BodyFile)?) -> Void) {
        completion(MemoryBodyFile(bytes))
    }

    package func discard() { state.withLock { $0.isDiscarded = true } }
}

/// A finished body file in memory.
package final class MemoryBodyFile: BodyFile {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package func piece(_ range: Range<Int64>) -> BodyPiece {
        .chunks([ByteChunk(bytes).dropFirst(Int(range.lowerBound)).prefix(range.count)])
    }

    package var count: Int64 { Int64(bytes.count) }
    package func read(_ count: Int, at offset: Int64) -> [UInt8]? { Array(bytes.dropFirst(Int(offset)).prefix(count)) }
    package func verify(_ range: Range<Int64>, _ completion: @escaping @Sendable (Bool) -> Void) { completion(true) }
    package func isVerified(_ range: Range<Int64>) -> Bool { true }
}

extension StoredRecord {
    /// Whether a store keeps `other`, a part of the same variant, beside this record.
    fileprivate func leaves(_ other: StoredRecord) -> Bool {
        guard otherParts == .joined, let mine = extent?.ranges.first, let its = other.extent?.ranges.first else {
            return false
        }
        return !mine.overlaps(its)
    }

    /// `stored` with the fields and times of this record.
    fileprivate func freshening(_ stored: StoredRecord) -> StoredRecord {
        var record = self
        record.body = stored.body
        record.extent = stored.extent
        record.status = stored.status
        return record
    }
}
