import Dispatch
import EntityStorage
import Glibc
import HTTPCaching
import HTTPCore
import Stores
import Synchronization
import Transforms

/// The cost of caching: decisions, look-ups, eviction, storing.
enum CacheBenchmarks {
    static let all: [Benchmark] = [decide, condition, evict, store]

    private static let date = HTTPDate(seconds: 1_700_000_000)

    private static var response: Fields {
        var fields = Fields()
        fields.append(.cacheControl, "max-age=600, stale-while-revalidate=30")
        fields.append(.contentType, "text/html")
        fields.append(.etag, "\"33a64df5\"")
        fields.append(.date, date.bytes)
        return fields
    }

    private static var metadata: ResponseMetadata {
        ResponseMetadata(
            status: 200,
            fields: response,
            requestTime: date,
            responseTime: date,
            options: CachingOptions()
        )
    }

    private static let decide = Benchmark(name: "decide: max-age in the request") { turns in
        var request = Fields()
        request.append(.cacheControl, "max-age=300")
        let metadata = metadata
        var fresh = 0
        for turn in 0..<turns {
            let decision = metadata.decision(for: RequestDirectives(request), ageSeconds: Int64(turn & 255))
            if case .fresh = decision { fresh += 1 }
        }
        return fresh == turns
    }

    private static let condition = Benchmark(name: "decide: If-None-Match of two tags") { turns in
        var request = Fields()
        request.append(.ifNoneMatch, "\"0\", \"33a64df5\"")
        let metadata = metadata
        var matches = 0
        for _ in 0..<turns {
            if metadata.conditionOutcome(method: .get, fields: request, now: date) == .notModified { matches += 1 }
        }
        return matches == turns
    }

    private static let evict = Benchmark(name: "evict one of 1,000") { turns in
        let policy = S3FIFO(limit: 1000)
        var left = 0
        for turn in 0..<turns { left += policy.didStore(Entry(UInt64(turn))).count }
        return left == max(0, turns - 1000) && policy.count == min(turns, 1000)
    }

    private static let store = Benchmark(name: "store 1 KiB durably, in batches of 100") { turns in
        let directory = temporaryDirectory()
        defer { removeAll(in: directory) }
        guard let store = try? SQLiteStore(StoreConfiguration(directory: directory), notice: { _ in }) else {
            return false
        }
        let durable = Atomic<Int>(0)
        let content = [UInt8](repeating: 0x61, count: 1024)
        for first in stride(from: 0, to: turns, by: 100) {
            let all = DispatchGroup()
            for turn in first..<min(turns, first + 100) {
                guard let record = record(turn, content) else { return false }
                all.enter()
                store.commit(record) { isDurable in
                    if isDurable { durable.add(1, ordering: .relaxed) }
                    all.leave()
                }
            }
            all.wait()
        }
        let closed = DispatchSemaphore(value: 0)
        store.close { closed.signal() }
        closed.wait()
        return durable.load(ordering: .relaxed) == turns
    }

    private static func record(_ number: Int, _ content: [UInt8]) -> StoredRecord? {
        guard let uri = try? TargetURI(parsing: "http://org.example/items/\(number)") else { return nil }
        return StoredRecord(
            uri: uri,
            partition: .shared,
            selection: [],
            status: 200,
            reason: [],
            fields: response,
            requestFields: Fields(),
            requestTime: date,
            responseTime: date,
            isInvalidated: false,
            body: .bytes(content)
        )
    }

    private static func temporaryDirectory() -> String {
        var name = Array("/tmp/respite-benchmark-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else { fatalError("no temporary directory") }
        return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Removes a store, whose directories are not deep.
    private static func removeAll(in path: String) {
        guard let directory = opendir(path) else { return }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name != ".", name != ".." else { continue }
            if unlink("\(path)/\(name)") != 0 { removeAll(in: "\(path)/\(name)") }
        }
        closedir(directory)
        rmdir(path)
    }
}

/// An entry in memory that is never used.
private final class Entry: MemoryEntry {
    let identity: UInt64
    let cost = 1

    init(_ identity: UInt64) { self.identity = identity }

    func takeUses() -> Int { 0 }
}
