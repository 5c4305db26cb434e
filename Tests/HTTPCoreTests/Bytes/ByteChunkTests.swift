import HTTPCore
import Testing

@Suite("Byte chunks")
struct ByteChunkTests {
    @Test(
        "a compact chunk holds the same bytes in memory hardly larger than they are",
        arguments: [(0, 0), (3, 3), (3, 4096), (900, 1024), (4096, 4096), (4096, 65_536)]
    )
    func compact(count: Int, capacity: Int) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(capacity)
        bytes += (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        for chunk in [ByteChunk(bytes), ByteChunk(bytes, range: count / 3..<count)] {
            let compact = chunk.compact
            #expect(compact == chunk)
            #expect(compact.storage.capacity - compact.count <= max(64, compact.count / 8))
        }
    }
}
