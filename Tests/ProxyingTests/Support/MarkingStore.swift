import Dispatch
import HTTPCaching
import HTTPCore
import Stores
import TestSupport
import Transforms

/// A store without records that marks what is made invalid when the test says so.
final class MarkingStore: VariantStore {
    struct Mark: Sendable {
        let uri: TargetURI
        /// Tells that the mark is at rest, or that it cannot be yet.
        let end: @Sendable (_ isDurable: Bool) -> Void
    }

    /// What was made invalid, in order.
    let marks = WaitQueue<Mark>()

    private func later(_ work: @escaping @Sendable () -> Void) { DispatchQueue.global().async(execute: work) }

    func invalidate(_ uri: TargetURI, durable: @escaping @Sendable (Bool) -> Void) {
        marks.push(Mark(uri: uri, end: durable))
    }

    func lookUp(_ uri: TargetURI, _ completion: @escaping @Sendable ([StoredRecord]) -> Void) {
        later { completion([]) }
    }

    func lookUp(
        _ name: RenditionName,
        of original: StoredRecord,
        _ completion: @escaping @Sendable (StoredRendition?) -> Void
    ) { later { completion(nil) } }

    func makeBody(expected: Int64?) -> (any BodyWriter)? { nil }
    func commit(_ record: StoredRecord, durable: @escaping @Sendable (Bool) -> Void) {}
    func commit(_ form: StoredRendition, of original: StoredRecord, durable: @escaping @Sendable (Bool) -> Void) {}
    func freshen(_ record: StoredRecord, durable: @escaping @Sendable (Bool) -> Void) {}
    func remove(_ uri: TargetURI, partition: Partition, selection: [UInt8]) {}
    func remove(_ uri: TargetURI, _ completion: @escaping @Sendable (Int) -> Void) { later { completion(0) } }

    func removeAll(
        where condition: @escaping @Sendable (TargetURI) -> Bool,
        _ completion: @escaping @Sendable (Int) -> Void
    ) { later { completion(0) } }

    func removeAll(taggedBy tags: Set<CacheTag>, _ completion: @escaping @Sendable (Int) -> Void) {
        later { completion(0) }
    }

    func list(taggedBy tags: Set<CacheTag>, _ then: @escaping @Sendable ([TargetURI]) -> Void) { later { then([]) } }

    func listRenditions(of uri: TargetURI, _ completion: @escaping @Sendable ([StoredRenditionSummary]) -> Void) {
        completion([])
    }

    func list(
        after cursor: Int64,
        limit: Int,
        where test: any RowTest,
        _ completion: @escaping @Sendable (StoredPage) -> Void
    ) {
        later { completion(StoredPage([], next: nil)) }
    }

    func flush(_ completion: @escaping @Sendable () -> Void) { later(completion) }
}
