import HTTPCore
import ResourceDoubles
import Stores
import TestDoubles
import Testing
import Transforms

@testable import ResourceCore

/// What renditions are made of.
@Suite("An original response") struct OriginalResponseTests {
    private let bench = Workbench()

    private func body(isShared: Bool) -> GrowingBody {
        GrowingBody(
            limits: GrowingBody.Limits(),
            expected: nil,
            isShared: isShared,
            granted: 1 << 20,
            makeWriter: nil,
            grant: { _ in },
            lostStore: {}
        )
    }

    @Test("of a stored original several clients read the rendition, which may be stored with it")
    func stored() {
        let stored = bench.stored { record in
            record.status = 203
            record.reason = Array("Fine".utf8)
            record.partition = .credential([1])
            record.rendition = [4]
        }
        let original = OriginalResponse.stored(stored)
        #expect(original.status == 203 && original.reason == Array("Fine".utf8) && original.fields == stored.fields)
        #expect(original.isShared && original.isRedacted && original.isKept)
        #expect(original.partition == .credential([1]) && original.head.status == 203)
        #expect(original.renditions === stored.renditions)
        #expect(!OriginalResponse.stored(bench.stored()).isRedacted)
    }

    @Test("a rendition of a loading original is shared and stored as that is")
    func loaded() {
        for isShared in [true, false] {
            let loaded = bench.head(status: 203, body: body(isShared: isShared)).response
            let original = OriginalResponse.loaded(loaded)
            #expect(original.status == 203 && original.fields == loaded.fields && original.isShared == isShared)
            #expect(original.isKept && original.partition == .shared && !original.isRedacted)
            #expect(original.renditions === loaded.renditions)
        }
        let refused = bench.head([("Cache-Control", "no-store")], body: body(isShared: false)).response
        #expect(!OriginalResponse.loaded(refused).isKept)
    }

    @Test("there is content unless its length is 0, or the status excludes it")
    func content() {
        func stored(_ status: UInt16, _ bytes: [UInt8]) -> Bool {
            let stored = bench.stored { record in
                record.status = status
                record.body = .bytes(bytes)
            }
            return OriginalResponse.stored(stored).hasContent
        }
        func loaded(_ status: UInt16, _ length: Int64?) -> Bool {
            OriginalResponse.loaded(bench.head(status: status, length: length, body: bench.body()).response).hasContent
        }
        #expect(stored(200, [1]) && !stored(200, []) && stored(203, [1]))
        #expect(!stored(204, [1]) && !stored(304, [1]))
        #expect(loaded(200, 1) && loaded(200, nil) && !loaded(200, 0))
        #expect(!loaded(204, nil) && !loaded(304, nil) && loaded(205, nil))
    }

    @Test("a rendition that is being made is as old as its original, and has its reason only under its status")
    func following() {
        let stored = bench.stored(7, [("Cache-Control", "max-age=60"), ("Age", "5")]) { record in
            record.reason = Array("Fine".utf8)
            record.partition = .credential([1])
        }
        bench.world.timekeeper.advance(by: .seconds(3))
        let (body, options) = (bench.body(2), bench.context.configuration.caching)
        for status in [200, 203] as [UInt16] {
            let head = EntityHead(status: status, fields: stored.fields)
            let made = OriginalResponse.stored(stored).following(head, body, contentLength: 9, options)
            #expect(made.reason == (status == 200 ? stored.reason : []) && made.status == status)
            #expect(made.number == 7 && made.receivedAt == stored.receivedAt && made.contentLength == 9)
            #expect(made.body === body && made.partition == .credential([1]))
            #expect(made.currentAge(at: bench.context.now) == 8)
        }
    }
}
