import HTTPCore
import TestDoubles
import Testing

@testable import Transforms

/// Readers that fell behind, with a load of their own.
@Suite("Readers that fell behind") struct FallenReaderTests {
    /// The rest of a content, sent by the test.
    private final class Rest: RestOfContent {
        let body = FallenReaderTests.body(nil)
        let calls = LockedBox<[String]>([])

        func start() { calls.change { $0.append("start") } }
        func cancel() { calls.change { $0.append("cancel") } }
    }

    private static let piece = ByteChunk([UInt8](repeating: 7, count: 16 * 1024))

    private static func body(_ continuation: BodyContinuation?) -> GrowingBody {
        GrowingBody(
            limits: GrowingBody.Limits(),
            expected: nil,
            isShared: continuation != nil,
            granted: 16 << 20,
            makeWriter: nil,
            grant: { _ in },
            lostStore: {},
            continuation: continuation
        )
    }

    @Test("a reader that has ended is not woken by its own load, which is cancelled")
    func cancelled() throws {
        let rest = Rest()
        let body = Self.body(
            BodyContinuation(comparesDigests: false, makeRest: { _, _ in rest }, deserted: {})
        )
        let context = ManualContext()
        let wakes = LockedBox(0)
        let fast = try #require(body.addReader(context: context) {})
        let slow = try #require(body.addReader(context: context) { wakes.change { $0 += 1 } })
        for _ in 0..<200 {
            body.append(Self.piece)
            while case .chunks = fast.read(maximum: 1 << 20) {}
        }
        while case .chunks = slow.read(maximum: 1 << 20) {}
        #expect(rest.calls.value == ["start"])
        context.run()
        let before = wakes.value
        rest.body.append(Self.piece)
        context.run()
        #expect(wakes.value == before + 1)
        while case .chunks = slow.read(maximum: 1 << 20) {}
        slow.cancel()
        #expect(rest.calls.value == ["start", "cancel"])
        rest.body.append(Self.piece)
        context.run()
        #expect(wakes.value == before + 1)
    }
}
