import HTTPCaching
import HTTPCore
import ResourceDoubles
import Stores
import Testing
import Transforms

@testable import ResourceCore

/// The bytes of memory that the eviction policy counts for a stored response.
@Suite("The cost of a stored response") struct StoredResponseCostTests {
    private let bench = Workbench()
    private static let fresh = ("Cache-Control", "max-age=60")

    /// What is counted besides head, URI and metadata.
    private func rest(_ stored: StoredResponse) -> Int {
        stored.cost - HeapSize.array(stored.prepared.bytes) - HeapSize.array(stored.uri.bytes)
            - stored.metadata.heapBytes
    }

    private func rest(_ change: (inout StoredRecord) -> Void) -> Int { rest(bench.stored(1, [Self.fresh], change)) }

    private var empty: Int { rest { $0.body = .bytes([]) } }

    @Test("content in memory costs its array, a file costs 240 bytes, joined parts cost their files and their bytes")
    func content() {
        let bytes = [UInt8](repeating: 1, count: 5000)
        let files = (0..<2).map { _ in RecordBody.file(MemoryBodyFile([1, 2, 3])) }
        #expect(rest { $0.body = .bytes(bytes) } == empty + HeapSize.array(bytes))
        #expect(rest { $0.body = files[0] } == empty + 240)
        let parts = [
            JoinedBody.Part(0..<3, files[0]), JoinedBody.Part(5..<8, files[1]),
            JoinedBody.Part(9..<16, .bytes([UInt8](repeating: 1, count: 7))),
        ]
        #expect(rest { $0.body = .file(JoinedBody(parts)) } == empty + 2 * 240 + 7)
    }

    @Test("each tag costs 200 bytes")
    func tags() {
        let tagged = bench.stored(1, [Self.fresh, ("Surrogate-Key", "one two")]) { $0.body = .bytes([]) }
        #expect(tagged.tags.count == 2 && rest(tagged) == empty + 2 * 200)
    }

    @Test("of values that few responses have, each costs its own array", arguments: 0..<6)
    func extras(which: Int) {
        let bytes = [UInt8](repeating: 1, count: 100)
        func stored(_ change: (inout StoredRecord) -> Void = { _ in }) -> StoredResponse {
            bench.stored(1, [Self.fresh]) { record in
                record.body = .bytes([])
                record.extent = ContentExtent(0..<3, total: 9)
                change(&record)
            }
        }
        let made = stored { record in
            switch which {
            case 0: record.partition = .credential(bytes)
            case 1: record.selection = bytes
            case 2: record.reason = bytes
            case 3: record.rendition = bytes
            case 4: record.pieces = StreamPieces([StreamPieces.Piece(count: 3, milliseconds: 5)])
            default: record.requestFields = Workbench.fields([("Accept-Language", "de")])
            }
        }
        let fields = made.requestFields
        let expected =
            switch which {
            case 4: HeapSize.array(made.pieces.encoded)
            case 5: HeapSize.array(fields.bytes) + HeapSize.array(fields.lines)
            default: HeapSize.array(bytes)
            }
        #expect(expected > 0 && rest(made) == rest(stored()) + expected)
        #expect(rest(stored()) > empty)
    }
}
