import Configurations
import HTTPCaching
import HTTPCore
import ResourceDoubles
import ResourceModel
import TestDoubles
import Testing
import Transforms

@Suite("Redaction") struct RedactionTests {
    /// Replaces `s` by `x`; refuses what holds a `!`.
    static var redact: ScriptedTransformer {
        ScriptedTransformer(
            name: "redact",
            way: .whole { bytes throws(TransformFailure) in
                if bytes.contains(0x21) { throw TransformFailure(.invalidContent, "byte 0") }
                return bytes.map { $0 == 0x73 ? 0x78 : $0 }
            },
            needsDecodedContent: true,
            isRedaction: true
        )
    }

    static func world(
        _ steps: [PipelineStep] = [PipelineStep(redact)],
        store: MemoryVariantStore? = nil,
        decoder: (any StreamingTransformer)? = nil
    ) -> World {
        var configuration = Configuration()
        for step in steps { configuration.pipeline.add(step, to: .model) }
        return World(store: store, configuration: configuration, decoder: decoder)
    }

    static let lines = PipelineTests.lines

    @Test("what is stored is redacted; validation is by the origin's validators, and a 304 serves it on")
    func stored() throws {
        let store = MemoryVariantStore()
        let world = Self.world(store: store)
        let client = world.get()
        world.last.answer(200, Self.lines, "secret")
        world.runUntilIdle()
        #expect(client.text == "xecret")
        let record = try #require(store.records(of: World.uri("/a")).first)
        #expect(!record.rendition.isEmpty)
        #expect(record.fields.text(of: .etag) == "\"a\"")
        guard case .bytes(let bytes) = record.body else { return #expect(Bool(false)) }
        #expect(bytes == Array("xecret".utf8))
        // From memory, and from the store.
        #expect(world.get().text == "xecret")
        world.resource().wipe()
        #expect(world.get().text == "xecret")
        #expect(world.provider.count == 1)
        // And validated.
        world.timekeeper.advance(by: .seconds(61))
        let later = world.get()
        #expect(world.last.value(of: .ifNoneMatch) == "\"a\"")
        world.last.answer(304, Self.lines)
        world.runUntilIdle()
        #expect(later.text == "xecret")
    }

    @Test("under another redaction the entry is a miss: loaded anew, without its validators")
    func changed() {
        let world = Self.world()
        world.fill("/a", Self.lines, "secret")
        var other = Self.redact
        other.fingerprint = "2"
        other.way = .whole { $0.map { $0 == 0x73 ? 0x79 : $0 } }
        world.service.configuration.pipeline = PipelineTests.pipeline((PipelineStep(other), .model))
        let client = world.get()
        #expect(world.provider.count == 2)
        #expect(world.last.value(of: .ifNoneMatch) == nil)
        world.last.answer(200, Self.lines, "secret")
        world.runUntilIdle()
        #expect(client.text == "yecret")
        // Without any rule it is a miss too: the original is nowhere.
        world.service.configuration.pipeline = Pipeline()
        world.get()
        #expect(world.provider.count == 3)
    }

    @Test("steps behind the redaction run as any form; a change of them needs no load")
    func behind() {
        let world = Self.world([PipelineStep(Self.redact), PipelineStep(ScriptedTransformer.suffix("?"))])
        world.fill("/a", Self.lines, "secret")
        #expect(world.get().text == "xecret?")
        world.service.configuration.pipeline = PipelineTests.pipeline(
            (PipelineStep(Self.redact), .model),
            (PipelineStep(ScriptedTransformer.suffix("#")), .model)
        )
        #expect(world.get().text == "xecret#")
        #expect(world.provider.count == 1)
    }

    @Test("with keep-original the original is stored, and clients never see it")
    func kept() throws {
        let store = MemoryVariantStore()
        let world = Self.world([PipelineStep(Self.redact, keepsOriginal: true)], store: store)
        world.fill("/a", Self.lines, "secret")
        #expect(world.get().text == "xecret")
        let record = try #require(store.records(of: World.uri("/a")).first)
        #expect(record.rendition.isEmpty)
        #expect(record.body.count == 6)
    }

    @Test(
        "what cannot be redacted is a 502, is stored nowhere, and is not asked for again at once",
        arguments: [200, 404, 500]
    )
    func fails(_ status: Int) throws {
        let store = MemoryVariantStore()
        let world = Self.world(store: store)
        let client = world.get()
        world.last.answer(UInt16(status), Self.lines, "secret!")
        world.runUntilIdle()
        #expect(client.failure?.status == 502)
        #expect(client.failure?.transformation?.transformer == "redact")
        #expect(store.records(of: World.uri("/a")).isEmpty)
        #expect(store.writers.isEmpty)
        #expect(world.resource().latestResponse == nil)
        #expect(world.resource().latestFailure?.status == 502)
        #expect(world.get().failure?.isRemembered == true)
        #expect(world.provider.count == 1)
    }

    @Test("once the content cannot be redacted, the origin sends no more of it")
    func failsAmidContent() {
        var redact = Self.redact
        redact.way = .streaming { [$0] }
        redact.onHead = { _ throws(TransformFailure) in throw TransformFailure(.invalidContent, "the head") }
        let world = Self.world([PipelineStep(redact)])
        let client = world.get()
        world.last.head(200, Self.lines, length: 100)
        world.last.content("secret")
        world.runUntilIdle()
        #expect(client.failure?.status == 502 && world.last.isCancelled)
    }

    @Test(
        "what has no content is stored as it came, and fails no redaction",
        arguments: [(200, ""), (204, ""), (200, "secret")] as [(UInt16, String)]
    )
    func withoutContent(status: UInt16, text: String) throws {
        let store = MemoryVariantStore()
        let world = Self.world(store: store)
        let client = world.get()
        world.last.answer(status, Self.lines, text, inOnePiece: false)
        world.runUntilIdle()
        #expect(client.failure == nil && client.ending == .complete && client.byteCount == text.utf8.count)
        let record = try #require(store.records(of: World.uri("/a")).first)
        #expect(record.rendition.isEmpty == text.isEmpty && record.status == status)
    }

    @Test("where the workers take no more, all who wait are told so; that is not remembered, and the load ends")
    func overload() {
        let world = Self.world()
        let clients = (0..<2).map { _ in world.get() }
        world.workers.isFull = true
        world.last.head(200, Self.lines, length: 6)
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.failure?.status == 503 && $0.answers == 1 })
        #expect(world.last.isCancelled && !world.resource().isLoading)
        world.workers.isFull = false
        let later = world.get()
        #expect(world.provider.count == 2)
        world.last.answer(200, Self.lines, "secret")
        world.runUntilIdle()
        #expect(later.text == "xecret" && clients.allSatisfy { $0.answers == 1 })
    }

    @Test("the rest of a content that was cut is not asked for: nobody has the part that came, unredacted")
    func cut() {
        let world = Self.world()
        let client = world.get()
        world.last.head(200, Self.lines, length: 6)
        world.last.content("sec")
        world.last.fail(.responseIncomplete)
        world.runUntilIdle()
        world.timekeeper.advance(by: .seconds(10))
        world.runUntilIdle()
        #expect(world.provider.count == 1 && client.text.isEmpty && !world.resource().isLoading)
    }

    @Test("observers hear of a last 1 before they hear that the content could not be redacted (S-219)")
    func lastProgress() {
        let world = Self.world()
        let recorder = EventRecorder()
        world.resource().addObserver(recorder)
        world.get()
        world.last.answer(200, Self.lines, "secret!")
        world.runUntilIdle()
        #expect(recorder.notes.value == ["observerAdded", "requested L", "progress 1", "error E"])
    }

    @Test("all statuses are redacted, though no-transform forbids it and the request asks for a range")
    func everything() {
        let world = Self.world()
        let client = world.get("/a", [("Range", "bytes=0-1"), ("Cache-Control", "no-transform")])
        #expect(world.last.value(of: .range) == nil)
        world.last.answer(404, [("Cache-Control", "max-age=60, no-transform")], "secret")
        world.runUntilIdle()
        #expect(client.text == "xecret")
    }

    @Test("a 206 nobody asked for is no way around")
    func partial() {
        let world = Self.world()
        let client = world.get()
        world.last.answer(206, Self.lines + [("Content-Range", "bytes 0-5/9")], "secret")
        world.runUntilIdle()
        #expect(client.failure?.status == 502)
    }

    @Test("only codings that can be taken off are asked for; an unknown one is a 502")
    func codings() {
        let world = Self.world(decoder: Self.decoder)
        world.get("/a", [("Accept-Encoding", "compress")])
        #expect(world.last.value(of: .acceptEncoding) == "gzip, deflate, br, zstd")
        world.last.answer(200, Self.lines + [("Content-Encoding", "compress")], "secret")
        world.runUntilIdle()
        let client = world.get("/b")
        world.last.answer(200, Self.lines + [("Content-Encoding", "rot")], "tfdsfu")
        world.runUntilIdle()
        #expect(client.text == "xecret")
        #expect(client.following?.fields.contains(.contentEncoding) == false)
        #expect(world.get("/a").failure?.status == 502)
    }

    /// Takes `rot` off; knows nothing else.
    private static var decoder: ScriptedTransformer {
        ScriptedTransformer(name: "decode", way: .streaming { [$0 - 1] }) { head throws(TransformFailure) in
            guard head.fields.text(of: .contentEncoding) == "rot" else {
                throw TransformFailure(.unsupported, "an unknown content coding")
            }
            head.fields.remove(.contentEncoding)
        }
    }

    @Test("too large to be redacted is a 502, whatever the rule says about oversize")
    func oversize() {
        let world = Self.world([PipelineStep(Self.redact, onOversize: .pass)])
        world.service.configuration.transformLimits.wholeContent = 4
        let client = world.get()
        world.last.answer(200, Self.lines, "secret")
        world.runUntilIdle()
        #expect(client.failure?.status == 502)
    }

    @Test("followers of one redacted load share it; a purge amid it keeps nothing (T-259)")
    func purge() {
        let store = MemoryVariantStore()
        let world = Self.world(store: store)
        let clients = (0..<3).map { _ in world.get() }
        world.workers.isImmediate = false
        world.last.head(200, Self.lines)
        world.last.content("secret")
        world.runUntilIdle()
        world.workers.runOne()
        world.resource().purge()
        world.last.end()
        world.workers.isImmediate = true
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.text == "xecret" })
        #expect(world.resource().latestResponse == nil)
        #expect(store.records(of: World.uri("/a")).isEmpty)
    }
}
