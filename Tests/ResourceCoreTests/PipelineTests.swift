import HTTPCaching
import HTTPCore
import ResourceCore
import Testing

@Suite("Pipelines") struct PipelineTests {
    static func pipeline(_ steps: (PipelineStep, PipelineStageKey)...) -> Pipeline {
        var pipeline = Pipeline()
        for (step, stage) in steps { pipeline.add(step, to: stage) }
        return pipeline
    }

    static func world(_ transformers: ScriptedTransformer..., store: MemoryVariantStore? = nil) -> World {
        var configuration = ServiceConfiguration()
        for transformer in transformers { configuration.pipeline.add(PipelineStep(transformer), to: .model) }
        return World(store: store, configuration: configuration)
    }

    static let lines = [("Cache-Control", "max-age=60"), ("ETag", "\"a\""), ("Content-Type", "text/plain")]

    @Test("T-102: clients get the derived content, the resource keeps the original, the transformer ran once")
    func derives() throws {
        let transformer = ScriptedTransformer.suffix("!")
        let world = Self.world(transformer)
        // When a load brings a response
        let client = world.get()
        world.last.answer(200, Self.lines, "abc")
        world.settle()
        // Then the client gets it transformed
        #expect(client.text == "abc!")
        // And the original is what is stored
        let stored = try #require(world.resource().latestData)
        #expect(stored.contentLength == 3)
        // And later clients get the same, without the origin and without the transformer
        let second = world.get()
        #expect(second.text == "abc!")
        let derived = try #require(second.stored)
        #expect(derived.fields.text(of: .etag)?.hasPrefix("\"a-") == true)
        #expect(derived.contentLength == 4)
        #expect(transformer.counts.finished == 1)
        #expect(world.provider.count == 1)
    }

    @Test("T-104: after a 304 nothing is transformed anew, and the head is the freshened one")
    func notModified() throws {
        let transformer = ScriptedTransformer.suffix("!")
        let world = Self.world(transformer)
        world.fill("/a", Self.lines)
        world.timekeeper.advance(by: .seconds(61))
        let client = world.get()
        #expect(world.last.value(of: .ifNoneMatch) == "\"a\"")
        world.last.answer(304, [("ETag", "\"a\""), ("Cache-Control", "max-age=30"), ("X-New", "1")])
        world.settle()
        let derived = try #require(client.stored)
        #expect(client.text == "abc!")
        #expect(derived.fields.values(named: Array("x-new".utf8)) == [Array("1".utf8)])
        #expect(transformer.counts.finished == 1)
    }

    @Test("a changed rule derives anew from the stored original: nothing is fetched")
    func changedRule() {
        let world = Self.world(.suffix("!"))
        world.fill("/a", Self.lines)
        #expect(world.get().text == "abc!")
        world.service.configuration.pipeline = Self.pipeline((PipelineStep(ScriptedTransformer.suffix("?")), .model))
        #expect(world.get().text == "abc?")
        world.service.configuration.pipeline = Pipeline()
        #expect(world.get().text == "abc")
        #expect(world.provider.count == 1)
    }

    @Test("100 followers: one run")
    func followers() {
        let transformer = ScriptedTransformer.suffix("!")
        let world = Self.world(transformer)
        let clients = (0..<100).map { _ in world.get() }
        world.last.answer(200, Self.lines, "abc")
        world.settle()
        #expect(clients.allSatisfy { $0.text == "abc!" && $0.ending == .complete })
        #expect(transformer.counts.finished == 1)
        #expect(world.provider.count == 1)
    }

    @Test("a transformer that streams gives each piece as it comes; who joins late begins with the first octet")
    func streams() {
        let world = Self.world(.upper)
        let first = world.get()
        world.last.head(200, Self.lines)
        world.last.content("abc")
        world.settle()
        #expect(first.text == "ABC")
        let second = world.get()
        #expect(second.text == "ABC")
        world.last.content("def")
        world.last.end()
        world.settle()
        #expect(first.text == "ABCDEF" && first.ending == .complete)
        #expect(second.text == "ABCDEF" && second.ending == .complete)
        #expect(world.provider.count == 1)
    }

    @Test("a failure is a 502 that names stage, transformer and cause; it is remembered, and the original stays")
    func failure() throws {
        let transformer = ScriptedTransformer(
            name: "json validate",
            way: .whole { _ throws(TransformFailure) in throw TransformFailure(.invalidContent, "line 1, column 2") }
        )
        let world = Self.world(transformer)
        let client = world.get()
        world.last.answer(200, Self.lines, "abc")
        world.settle()
        let error = try #require(client.failure)
        #expect(error.status == 502)
        #expect(error.transformation?.stage == "model")
        #expect(error.transformation?.transformer == "json validate")
        #expect(error.userMessage.contains("line 1, column 2"))
        #expect(!error.isRemembered)
        // Again: remembered, neither loaded nor run.
        #expect(world.get().failure?.isRemembered == true)
        #expect(transformer.counts.begun == 1)
        // A corrected rule works without another load.
        world.service.configuration.pipeline = Self.pipeline((PipelineStep(ScriptedTransformer.suffix("!")), .model))
        #expect(world.get().text == "abc!")
        #expect(world.provider.count == 1)
    }

    @Test("a full queue of the workers is a 503, never a hang, and is not remembered")
    func overload() {
        let world = Self.world(.suffix("!"))
        world.fill("/a", Self.lines)
        world.service.configuration.pipeline = Self.pipeline((PipelineStep(ScriptedTransformer.suffix("?")), .model))
        world.workers.isFull = true
        #expect(world.get().failure?.status == 503)
        world.workers.isFull = false
        #expect(world.get().text == "abc?")
    }
}
