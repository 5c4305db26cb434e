import Dispatch
import Glibc
import HTTPCaching
import HTTPCore
import Locking
import Stores
import TestSupport
import Transforms

/// A store that keeps no record; large content goes to files of it while it is loaded.
final class SpillingStore: VariantStore {
    private let directory = TemporaryDirectory()
    private let files = Lock(0)
    /// Bytes of the body that was begun last.
    let written = SharedValue<Int64>(0)

    /// How many bodies were begun in files.
    var bodies: Int { files.withLock { $0 } }

    private func later(_ work: @escaping @Sendable () -> Void) { DispatchQueue.global().async(execute: work) }

    func makeBody(expected: Int64?) -> (any BodyWriter)? {
        let number = files.withLock { count in
            count += 1
            return count
        }
        return SpilledBody(directory.path("\(number)"), written)
    }

    func lookUp(_ uri: TargetURI, _ completion: @escaping @Sendable ([StoredRecord]) -> Void) {
        later { completion([]) }
    }

    func lookUp(
        _ name: RenditionName,
        of original: StoredRecord,
        _ completion: @escaping @Sendable (StoredRendition?) -> Void
    ) { later { completion(nil) } }

    func invalidate(_ uri: TargetURI, durable: @escaping @Sendable (Bool) -> Void) {}
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

/// A body in a file, written at once.
private final class SpilledBody: BodyWriter {
    let descriptor: Int32
    private let written = Lock<Int64>(0)
    private let noted: SharedValue<Int64>

    init(_ path: String, _ noted: SharedValue<Int64>) {
        self.noted = noted
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    }

    deinit { close(descriptor) }

    func append(_ chunk: ByteChunk, _ completion: @escaping @Sendable (Int64?) -> Void) {
        let bytes = chunk.bytes
        let total = written.withLock { count -> Int64? in
            guard pwrite(descriptor, bytes, bytes.count, off_t(count)) == bytes.count else { return nil }
            count += Int64(bytes.count)
            return count
        }
        if let total { noted.update { $0 = total } }
        completion(total)
    }

    func read(_ count: Int, at offset: Int64) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        guard pread(descriptor, &bytes, count, off_t(offset)) == count else { return nil }
        return bytes
    }

    func finish(_ completion: @escaping @Sendable ((any BodyFile)?) -> Void) { completion(nil) }
    func discard() {}
}
