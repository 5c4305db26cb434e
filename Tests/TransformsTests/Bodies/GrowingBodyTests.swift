import Exchanges
import HTTPCore
import TestDoubles
import Testing

@testable import Transforms

/// Content that grows, with a file of the store and readers of several contexts.
@Suite("Growing bodies") struct GrowingBodyTests {
    /// One body, and what it asked for.
    private struct Scene: Sendable {
        let body: GrowingBody
        let writer = ManualWriter()
        let granted = LockedBox(0)
        let losses = LockedBox(0)
        let stored = LockedBox<[String]>([])

        init(
            hasWriter: Bool = true,
            isStorable: Bool = true,
            maximumInMemory: Int64 = 1 << 20,
            expected: Int64? = nil
        ) {
            var limits = GrowingBody.Limits()
            (limits.inMemory, limits.maximumMemoryObject) = (1024, maximumInMemory)
            (limits.ahead, limits.window) = (8192, 8192)
            let (writer, granted, losses) = (writer, granted, losses)
            let makeWriter: @Sendable (Int64?) -> (any BodyWriter)? = { _ in hasWriter ? writer : nil }
            body = GrowingBody(
                limits: limits,
                expected: expected,
                isShared: true,
                granted: 8192,
                makeWriter: isStorable ? makeWriter : nil,
                grant: { bytes in granted.change { $0 += bytes } },
                lostStore: { losses.change { $0 += 1 } }
            )
        }

        func await() {
            body.whenFinalized { [stored] content in
                let text: String =
                    switch content {
                    case .bytes(let bytes)?: "\(bytes.count) bytes"
                    case .file(let file)?: "file of \(file.count)"
                    case nil: "nothing"
                    }
                stored.change { $0.append(text) }
            }
        }

        var results: [String] { stored.value }
    }

    private static func append(_ body: GrowingBody, _ count: Int) {
        body.append(ByteChunk([UInt8](repeating: 7, count: count)))
    }

    @Test("small content is stored from memory, large content as a file once all of it is flushed")
    func storing() {
        for isAwaitedFirst in [true, false] {
            let small = Scene()
            if isAwaitedFirst { small.await() }
            Self.append(small.body, 1024)
            small.body.finish(trailers: nil)
            if !isAwaitedFirst { small.await() }
            #expect(small.results == ["1024 bytes"] && small.writer.count == 0)
            let large = Scene()
            if isAwaitedFirst { large.await() }
            Self.append(large.body, 1024)
            Self.append(large.body, 1)
            Self.append(large.body, 2000)
            #expect(large.writer.count == 3025)
            large.body.finish(trailers: nil)
            if !isAwaitedFirst { large.await() }
            #expect(large.results.isEmpty)
            large.writer.flush()
            #expect(large.results == ["file of 3025"] && large.losses.value == 0)
        }
    }

    @Test("content that failed is not stored")
    func failed() {
        let scene = Scene()
        scene.await()
        Self.append(scene.body, 10)
        scene.body.fail(ExchangeFailure(.connectionTerminated, "gone"))
        #expect(scene.results.isEmpty && !scene.body.isComplete && !scene.body.acceptsReaders)
    }

    @Test(
        "if the file refuses the rest, small content is stored from memory and larger content not at all",
        arguments: [(3000, true), (2999, false)] as [(Int64, Bool)]
    )
    func refused(maximum: Int64, isSmall: Bool) {
        let scene = Scene(maximumInMemory: maximum)
        scene.await()
        Self.append(scene.body, 3000)
        scene.writer.flush(refuses: true)
        #expect(scene.losses.value == 1)
        scene.body.finish(trailers: nil)
        #expect(scene.results == [isSmall ? "3000 bytes" : "nothing"])
    }

    @Test(
        "without a file, content is stored from memory up to a limit; what is or will be larger is given up at once",
        arguments: [(nil, 2048, true), (nil, 2049, false), (2048, 10, true), (2049, 10, false)] as [(Int64?, Int, Bool)]
    )
    func noFile(expected: Int64?, count: Int, isStored: Bool) {
        let scene = Scene(hasWriter: false, maximumInMemory: 2048, expected: expected)
        scene.await()
        Self.append(scene.body, count)
        #expect(scene.body.isStorable == isStored && scene.losses.value == (isStored ? 0 : 1))
        scene.body.finish(trailers: nil)
        #expect(scene.results == [isStored ? "\(count) bytes" : "nothing"] && scene.losses.value == (isStored ? 0 : 1))
    }

    @Test("credit is granted as bytes are flushed, and not while they wait")
    func credit() {
        let scene = Scene()
        Self.append(scene.body, 8000)
        let before = scene.granted.value
        scene.writer.flush()
        #expect(scene.granted.value == before + 8000)
    }

    @Test("credit is granted once a quarter of what the origin may be ahead is due, and none after the end")
    func smallCredit() {
        var limits = GrowingBody.Limits()
        limits.ahead = 4096
        let grants = LockedBox<[Int]>([])
        let body = GrowingBody(
            limits: limits,
            expected: nil,
            isShared: true,
            granted: 4096,
            makeWriter: { _ in nil },
            grant: { bytes in grants.change { $0.append(bytes) } },
            lostStore: {}
        )
        Self.append(body, 1023)
        #expect(grants.value.isEmpty)
        Self.append(body, 1)
        #expect(grants.value == [1024])
        Self.append(body, 2000)
        body.finish(trailers: nil)
        #expect(grants.value == [1024, 2000])
        let reader = body.addReader(context: ManualContext()) {}
        guard case .chunks? = reader?.read(maximum: 4096) else { return #expect(Bool(false), "nothing has come") }
        #expect(grants.value == [1024, 2000])
    }

    @Test("a reader is woken on its own context, at once if that is the current one")
    func waking() throws {
        let scene = Scene()
        let context = ManualContext()
        let wakes = LockedBox(0)
        let reader = try #require(scene.body.addReader(context: context) { wakes.change { $0 += 1 } })
        guard case .wait = reader.read(maximum: 10) else { return #expect(Bool(false), "nothing has come") }
        Self.append(scene.body, 10)
        #expect(wakes.value == 0)
        context.run()
        #expect(wakes.value == 1)
        guard case .chunks = reader.read(maximum: 10), case .wait = reader.read(maximum: 10) else {
            return #expect(Bool(false), "ten bytes have come")
        }
        context.perform { scene.body.finish(trailers: nil) }
        #expect(wakes.value == 2)
        guard case .end = reader.read(maximum: 10) else { return #expect(Bool(false), "it is complete") }
    }

    @Test("a reader that is released no longer holds the others up")
    func released() throws {
        let scene = Scene(isStorable: false)
        let context = ManualContext()
        let fast = try #require(scene.body.addReader(context: context) {})
        var slow = scene.body.addReader(context: context) {}
        Self.append(scene.body, 8192)
        _ = fast.read(maximum: 8192)
        #expect(slow != nil && scene.granted.value == 0)
        slow = nil
        #expect(scene.granted.value == 8192)
    }

    @Test("a writer that no file was made of is discarded with the body")
    func discarded() {
        let writer: ManualWriter
        do {
            let scene = Scene()
            writer = scene.writer
            Self.append(scene.body, 2000)
            #expect(writer.discards == 0)
        }
        #expect(writer.discards == 1)
    }

    @Test("the limits of bodies and of runs, unless others are set")
    func limits() {
        let body = GrowingBody.Limits()
        #expect([body.ahead, body.unflushed, body.spilledWindow] == [262_144, 524_288, 262_144])
        #expect([body.window, body.inMemory, Int(body.maximumMemoryObject)] == [1_048_576, 65_536, 1_048_576])
        let run = TransformLimits()
        #expect(run.wholeContent == 8_388_608 && run.decodedContent == 67_108_864 && run.time == .seconds(10))
        #expect([run.ratio, run.codings, run.jsonDepth] == [100, 2, 128])
    }
}
