import CLinux
import EntityStorage
import Glibc
import HTTPCaching
import HTTPCore
import Stores
import Testing

@testable import Exchanges
@testable import ResourceCore

@Suite("What stored responses are charged for")
struct ChargeTests {
    private static let count = 20_000

    private final class NoHasher: PartitionHasher {
        func hash(_ credentials: [UInt8]) -> [UInt8] { credentials }
    }

    /// A service without a store.
    private static func service(_ eviction: (any EvictionPolicy)? = nil) -> Service {
        let environment = CoreEnvironment(
            timekeeper: SystemTimekeeper.shared,
            hasher: NoHasher(),
            eviction: eviction
        )
        return Service(name: "test", table: ResourceTable(environment: environment, shardCount: 16))
    }

    private static func uri(_ number: Int) -> TargetURI {
        let path = Array("/objects/\(1_000_000 + number)".utf8)
        return TargetURI(scheme: .http, host: Array("origin.example".utf8), port: 8080, path: path)
    }

    /// Stores as many responses with `length` bytes of content, all in memory; what is charged for them, and what the
    /// heap has lost to each.
    static func measure(length: Int) -> (charged: Double, taken: Double) {
        let policy = S3FIFO(limit: .max / 2)
        let service = service(policy)
        var fields = Fields()
        for (name, value) in [
            ("Server", "bench-origin"), ("Date", "Sun, 22 Nov 2026 02:00:00 GMT"), ("Content-Type", "text/plain"),
            ("Cache-Control", "max-age=86400"), ("ETag", "\"abc-1234\""),
            ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"), ("X-Served-By", "one of many"),
        ] { fields.append(name: name, value: value) }
        func fill(_ numbers: Range<Int>) {
            for number in numbers {
                let content = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: length)
                service.resourceToServe(uri(number)).overrideLocalData(content, fields: fields)
            }
        }
        // What is made once is there by then.
        fill(0..<1000)
        let (charged, taken) = (policy.used, respite_heap_in_use())
        fill(1000..<1000 + count)
        return withExtendedLifetime(service) {
            (
                Double(policy.used - charged) / Double(count),
                Double(Int(respite_heap_in_use()) - Int(taken)) / Double(count)
            )
        }
    }

    @Test("what is charged is what the heap loses, within a tenth", arguments: [0, 200, 1024, 20_000])
    func charge(length: Int) async {
        // In a process of its own: nothing else allocates there.
        await #expect(processExitsWith: .success) { [length = length as Int] in
            // Another allocator, as a sanitizer's, tells nothing.
            if respite_heap_in_use() == 0 { return }
            let (charged, taken) = ChargeTests.measure(length: length)
            print("content of \(length) bytes: \(charged) charged, \(taken) taken")
            guard charged > taken * 0.9, charged < taken * 1.1 else { exit(1) }
        }
    }

    @Test("a stored response takes no more than it is charged for; what millions have of it has no gaps")
    func sizes() throws {
        #expect(MemoryLayout<ResponseMetadata>.size == 88 && MemoryLayout<PreparedHead>.size == 16)
        #expect(MemoryLayout<ResourceState>.size == 68)
        let service = Self.service()
        let resources = (0..<16).map { service.resourceToServe(Self.uri($0)) }
        let stored = try resources.map { resource in
            resource.overrideLocalData([1], fields: Fields())
            return try #require(resource.latestResponse)
        }
        // A heap may give more than was asked for, where the rest of a free piece would be of no use.
        let least = try #require(
            stored.map { unsafe malloc_usable_size(Unmanaged.passUnretained($0).toOpaque()) }.min()
        )
        #expect(HeapSize.object(least) == HeapSize.object(StoredResponse.size))
    }
}
