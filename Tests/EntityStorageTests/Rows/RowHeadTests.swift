import HTTPCore
import Testing

@testable import EntityStorage

@Suite("Heads of rows")
struct RowHeadTests {
    private static let head = RowHead(
        uri: [1],
        partition: [2],
        selection: [3],
        rendition: 4,
        fingerprint: [],
        extent: [],
        status: 5,
        reason: [6],
        fields: [7],
        requestFields: [8],
        requestTime: 9,
        responseTime: 10,
        isInvalidated: false,
        size: 11,
        file: 12,
        bodySum: 13,
        blockSums: [14]
    )

    private static func head(_ change: (inout RowHead) -> Void) -> RowHead {
        var head = Self.head
        change(&head)
        return head
    }

    @Test("heads that differ in one part have different sums, wherever the same bytes stand (H-155)")
    func differences() {
        let heads = [
            Self.head, Self.head { $0.uri = [0] }, Self.head { $0.partition = [0] }, Self.head { $0.selection = [0] },
            Self.head { $0.rendition = 0 }, Self.head { $0.status = 0 }, Self.head { $0.reason = [0] },
            Self.head { $0.fields = [0] }, Self.head { $0.requestFields = [0] }, Self.head { $0.requestTime = 0 },
            Self.head { $0.responseTime = 0 }, Self.head { $0.isInvalidated = true }, Self.head { $0.size = 0 },
            Self.head { $0.file = 0 }, Self.head { $0.bodySum = 0 }, Self.head { $0.blockSums = [0] },
            // Bytes that move from one part to the next.
            Self.head { ($0.uri, $0.partition) = ([1, 2], []) }, Self.head { ($0.uri, $0.partition) = ([], [1, 2]) },
            Self.head { $0.fingerprint = [1] }, Self.head { $0.extent = [1] },
            Self.head { ($0.fingerprint, $0.extent) = ([1], [2]) },
            Self.head { ($0.fingerprint, $0.extent) = ([2], [1]) }, Self.head { $0.pieces = [1] },
            Self.head { ($0.extent, $0.pieces) = ([1], [2]) }, Self.head { ($0.extent, $0.pieces) = ([2], [1]) },
            Self.head { ($0.fingerprint, $0.pieces) = ([1], [2]) }, Self.head { $0.compressed = 1 },
            Self.head { $0.compressed = 2 }, Self.head { ($0.pieces, $0.compressed) = ([1], 1) },
        ]
        #expect(Set(heads.map(\.sum)).count == heads.count)
    }

    @Test("the sums of rows on disk stay what they are: other ones would make every stored row a damaged one")
    func golden() {
        #expect(Self.head.sum == -821_876_379_367_376_478)
        #expect(Self.head { ($0.fingerprint, $0.extent) = ([1], [2]) }.sum == -7_573_347_021_203_111_557)
        #expect(Self.head { $0.isInvalidated = true }.sum == -821_876_379_367_376_478 ^ RowHead.invalidationMask)
    }
}
