import Exchanges
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

    @Test("the load is told once nobody reads it any more, and not before")
    func deserted() throws {
        for isReadOn in [true, false] {
            let rest = Rest()
            let deserted = LockedBox(0)
            let body = Self.body(
                BodyContinuation(
                    comparesDigests: false,
                    makeRest: { _, _ in rest },
                    deserted: { deserted.change { $0 += 1 } }
                )
            )
            let context = ManualContext()
            let slow = try #require(body.addReader(context: context) {})
            let fast = isReadOn ? body.addReader(context: context, wake: {}) : nil
            for _ in 0..<200 {
                body.append(Self.piece)
                while case .chunks? = fast?.read(maximum: 1 << 20) {}
            }
            guard case .wait = slow.read(maximum: 1) else { return #expect(Bool(false), "the rest has not come") }
            #expect(rest.calls.value == ["start"])
            #expect(deserted.value == (isReadOn ? 0 : 1))
        }
    }

    @Test("without a load of the rest, or with one that has failed already, a reader that fell behind fails")
    func noRest() throws {
        let failed = Rest()
        failed.body.fail(ExchangeFailure(.connectionTerminated, "gone"))
        for rest in [nil, failed] {
            let body = Self.body(BodyContinuation(comparesDigests: false, makeRest: { _, _ in rest }, deserted: {}))
            let reader = try #require(body.addReader(context: ManualContext()) {})
            for _ in 0..<200 { body.append(Self.piece) }
            guard case .failed(let failure) = reader.read(maximum: 1) else {
                return #expect(Bool(false), "its bytes are gone")
            }
            #expect(failure.kind == .internalError)
            #expect(rest?.calls.value ?? [] == [])
        }
    }

    @Test("the response of one client stays in memory until that reads on, though it could be loaded anew")
    func unshared() throws {
        let rest = Rest()
        let body = GrowingBody(
            limits: GrowingBody.Limits(),
            expected: nil,
            isShared: false,
            granted: 16 << 20,
            makeWriter: nil,
            grant: { _ in },
            lostStore: {},
            continuation: BodyContinuation(comparesDigests: true, makeRest: { _, _ in rest }, deserted: {})
        )
        let reader = try #require(body.addReader(context: ManualContext()) {})
        for _ in 0..<100 { body.append(Self.piece) }
        var count = 0
        while case .chunks(let chunks) = reader.read(maximum: 1 << 20) { count += chunks.reduce(0) { $0 + $1.count } }
        #expect(count == 100 * Self.piece.count && rest.calls.value.isEmpty)
    }

    @Test("digests of the content so far go to the load that must compare it", arguments: [true, false])
    func digests(compares: Bool) throws {
        let given = LockedBox<[(Int64, Bool)]>([])
        let body = Self.body(
            BodyContinuation(
                comparesDigests: compares,
                makeRest: { offset, digests in
                    given.change { $0.append((offset, digests != nil)) }
                    return nil
                },
                deserted: {}
            )
        )
        let reader = try #require(body.addReader(context: ManualContext()) {})
        let fast = try #require(body.addReader(context: ManualContext()) {})
        body.append(Self.piece)
        _ = reader.read(maximum: 5)
        for _ in 0..<200 {
            body.append(Self.piece)
            while case .chunks = fast.read(maximum: 1 << 20) {}
        }
        _ = reader.read(maximum: 1)
        #expect(given.value.map(\.0) == [5] && given.value.map(\.1) == [compares])
    }
}
