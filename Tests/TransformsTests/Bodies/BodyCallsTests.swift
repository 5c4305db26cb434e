import Exchanges
import HTTPCore
import TestDoubles
import Testing

@testable import Transforms

/// What a growing body tells its readers, its origin and the store.
@Suite("Calls of growing bodies") struct BodyCallsTests {
    private static let failure = ExchangeFailure(.connectionTerminated, "gone")

    /// One body, and what it asked for.
    private struct Scene: Sendable {
        let body: GrowingBody
        let writer = ManualWriter()
        let grants = LockedBox<[Int]>([])
        let asked = LockedBox<[Int64?]>([])

        init(isStorable: Bool = true, expected: Int64? = nil, _ change: (inout GrowingBody.Limits) -> Void = { _ in }) {
            var limits = GrowingBody.Limits()
            limits.inMemory = 1024
            change(&limits)
            let (writer, grants, asked) = (writer, grants, asked)
            let makeWriter: @Sendable (Int64?) -> (any BodyWriter)? = { expected in
                asked.change { $0.append(expected) }
                return writer
            }
            body = GrowingBody(
                limits: limits,
                expected: expected,
                isShared: true,
                granted: limits.ahead,
                makeWriter: isStorable ? makeWriter : nil,
                grant: { bytes in grants.change { $0.append(bytes) } },
                lostStore: {}
            )
        }

        func append(_ count: Int) { body.append(ByteChunk([UInt8](repeating: 7, count: count))) }

        /// Where a new reader finds the first byte.
        func place() -> String {
            switch body.addReader(context: ManualContext(), wake: {})?.read(maximum: 1) {
            case .chunks?: "memory"
            case .file(let region)?: "file \(region.descriptor), \(region.count) from \(region.offset)"
            default: "nowhere"
            }
        }
    }

    // MARK: Readers

    @Test("a reader that waits is woken when the body fails, and gets the failure; the first end counts")
    func failing() throws {
        let body = Scene().body
        let context = ManualContext()
        let wakes = LockedBox(0)
        let reader = try #require(body.addReader(context: context) { wakes.change { $0 += 1 } })
        guard case .wait = reader.read(maximum: 10) else { return #expect(Bool(false), "nothing has come") }
        body.fail(Self.failure)
        body.finish(trailers: nil)
        context.run()
        #expect(wakes.value == 1 && !body.isComplete)
        guard case .failed(let failure) = reader.read(maximum: 10) else { return #expect(Bool(false), "it failed") }
        #expect(failure == Self.failure)
        let complete = Scene().body
        complete.finish(trailers: nil)
        complete.fail(Self.failure)
        #expect(complete.isComplete && complete.acceptsReaders)
    }

    // MARK: The origin

    @Test("a byte is granted where a quarter of what the origin may be ahead is one, and never none")
    func oneByte() throws {
        let stored = Scene { $0.ahead = 4 }
        let reader = stored.body.addReader(context: ManualContext(), wake: {})
        stored.append(1)
        reader?.cancel()
        #expect(stored.grants.value == [1])
        let scene = Scene(isStorable: false) { $0.ahead = 4 }
        let context = ManualContext()
        let idle = try #require(scene.body.addReader(context: context) {})
        let slow = scene.body.addReader(context: context, wake: {})
        let fast = scene.body.addReader(context: context, wake: {})
        idle.cancel()
        scene.append(3)
        #expect(scene.grants.value.isEmpty)
        _ = fast?.read(maximum: 1)
        #expect(scene.grants.value.isEmpty, "the slowest sets the pace")
        _ = slow?.read(maximum: 1)
        #expect(scene.grants.value == [1])
        _ = fast?.read(maximum: 1)
        #expect(scene.grants.value == [1])
        slow?.cancel()
        #expect(scene.grants.value == [1, 1])
    }

    @Test("content that nobody reads is asked for as soon as somebody awaits its end")
    func unread() {
        let scene = Scene(isStorable: false) { $0.ahead = 4096 }
        scene.append(4096)
        #expect(scene.grants.value.isEmpty)
        scene.body.flowUnread()
        #expect(scene.grants.value == [4096])
        scene.append(4096)
        #expect(scene.grants.value == [4096, 4096])
    }

    // MARK: The store

    @Test(
        "content goes to a file from its first byte on if its announced length is too large for memory",
        arguments: [(nil, false), (1024, false), (1025, true)] as [(Int64?, Bool)]
    )
    func announced(expected: Int64?, isFile: Bool) {
        let scene = Scene(expected: expected)
        scene.append(10)
        #expect(scene.writer.count == (isFile ? 10 : 0))
        #expect(scene.asked.value == (isFile ? [expected] : []))
    }

    @Test("after the file has refused the rest, no other file is asked for")
    func refused() {
        let scene = Scene { $0.maximumMemoryObject = 4096 }
        scene.append(2000)
        scene.writer.flush(refuses: true)
        scene.append(2000)
        #expect(scene.body.isStorable && scene.asked.value == [nil] && scene.writer.count == 2000)
        scene.append(200)
        #expect(!scene.body.isStorable && scene.asked.value == [nil] && scene.writer.count == 2000)
    }

    @Test("memory beyond the window is released as soon as its bytes are in the file")
    func flushed() {
        let scene = Scene { $0.spilledWindow = 1000 }
        for _ in 0..<4 { scene.append(1000) }
        #expect(scene.place() == "memory")
        scene.writer.flush()
        #expect(scene.place() == "file 99, 1 from 0")
    }

    @Test("what is in the file stays there, in whatever order the writer tells of its parts")
    func flushedInReverse() {
        let scene = Scene { $0.spilledWindow = 0 }
        for _ in 0..<2 { scene.append(2000) }
        scene.writer.flush(isReversed: true)
        #expect(scene.place() == "file 99, 1 from 0" && scene.body.acceptsReaders)
    }

    @Test("a reader that has read all that is in the file waits for more, and gets the end behind it")
    func endOfFile() throws {
        let scene = Scene { $0.spilledWindow = 0 }
        let added = scene.body.addReader(context: ManualContext(), wake: {})
        let reader = try #require(added)
        for count in [2000, 1000] {
            scene.append(count)
            scene.writer.flush()
            guard case .file(let region) = reader.read(maximum: 4000), case .wait = reader.read(maximum: 4000) else {
                return #expect(Bool(false), "all is in the file")
            }
            #expect(region.count == count)
        }
        scene.body.finish(trailers: nil)
        guard case .end = reader.read(maximum: 1) else { return #expect(Bool(false), "it is complete") }
    }

    @Test("memory of a body in a file can be released; readers continue with the file")
    func released() {
        let scene = Scene()
        scene.append(2000)
        scene.writer.flush()
        scene.body.finish(trailers: nil)
        #expect(scene.place() == "memory")
        scene.body.releaseMemory()
        #expect(scene.place() == "file 99, 1 from 0" && scene.body.completeCount == 2000)
    }

    @Test("what is stored from memory has exactly the bytes that came", arguments: [0, 1, 2, 3])
    func storedBytes(count: Int) {
        let scene = Scene { $0.inMemory = 1 << 20 }
        let pieces = (0..<count).map { [UInt8](repeating: UInt8($0), count: 1000) }
        for piece in pieces { scene.body.append(ByteChunk(piece)) }
        let stored = LockedBox<[[UInt8]]>([])
        scene.body.whenFinalized { body in
            if case .bytes(let bytes)? = body { stored.change { $0.append(bytes) } }
        }
        scene.body.finish(trailers: nil)
        #expect(stored.value == [pieces.flatMap { $0 }])
    }
}
