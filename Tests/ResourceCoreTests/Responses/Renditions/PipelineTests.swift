import Configurations
import Exchanges
import HTTPCaching
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing
import Transforms

@Suite("Pipelines") struct PipelineTests {
    static func pipeline(_ steps: (PipelineStep, PipelineStageKey)...) -> Pipeline {
        var pipeline = Pipeline()
        for (step, stage) in steps { pipeline.add(step, to: stage) }
        return pipeline
    }

    static func world(_ transformers: ScriptedTransformer..., store: MemoryVariantStore? = nil) -> World {
        var configuration = Configuration()
        for transformer in transformers { configuration.pipeline.add(PipelineStep(transformer), to: .model) }
        return World(store: store, configuration: configuration)
    }

    static let lines = [("Cache-Control", "max-age=60"), ("ETag", "\"a\""), ("Content-Type", "text/plain")]

    @Test("clients get the derived content, the resource keeps the original, the transformer ran once (T-102)")
    func derives() throws {
        let transformer = ScriptedTransformer.suffix("!")
        let world = Self.world(transformer)
        // When a load brings a response
        let client = world.get()
        world.last.answer(200, Self.lines, "abc")
        world.runUntilIdle()
        // Then the client gets it transformed
        #expect(client.text == "abc!")
        // And the original is what is stored
        let stored = try #require(world.resource().latestResponse)
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

    @Test("after a 304 nothing is transformed anew, and the head is the freshened one (T-104)")
    func notModified() throws {
        let transformer = ScriptedTransformer.suffix("!")
        let world = Self.world(transformer)
        world.fill("/a", Self.lines)
        world.timekeeper.advance(by: .seconds(61))
        let client = world.get()
        #expect(world.last.value(of: .ifNoneMatch) == "\"a\"")
        world.last.answer(304, [("ETag", "\"a\""), ("Cache-Control", "max-age=30"), ("X-New", "1")])
        world.runUntilIdle()
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
        world.runUntilIdle()
        #expect(clients.allSatisfy { $0.text == "abc!" && $0.ending == .complete })
        #expect(transformer.counts.finished == 1)
        #expect(world.provider.count == 1)
    }

    @Test("a transformer that streams gives each piece as it comes; who joins late begins with the first byte")
    func streams() {
        let world = Self.world(.upper)
        let first = world.get()
        world.last.head(200, Self.lines)
        world.last.content("abc")
        world.runUntilIdle()
        #expect(first.text == "ABC")
        let second = world.get()
        #expect(second.text == "ABC")
        world.last.content("def")
        world.last.end()
        world.runUntilIdle()
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
        world.runUntilIdle()
        let error = try #require(client.failure)
        #expect(error.status == 502)
        #expect(error.transformation?.stage == "model")
        #expect(error.transformation?.transformer == "json validate")
        #expect(error.userMessage.contains("line 1, column 2"))
        #expect(!error.isRemembered)
        #expect(world.resource().latestFailure?.transformation == error.transformation)
        #expect(world.resource().latestResponse?.contentLength == 3)
        // Again: remembered, neither loaded nor run.
        #expect(world.get().failure?.isRemembered == true)
        #expect(transformer.counts.begun == 1)
        // A corrected rule works without another load.
        world.service.configuration.pipeline = Self.pipeline((PipelineStep(ScriptedTransformer.suffix("!")), .model))
        #expect(world.get().text == "abc!")
        #expect(world.provider.count == 1)
    }

    @Test("earlier good data stands in for a failure where stale-if-error allows it, until a form succeeds")
    func former() {
        let transformer = ScriptedTransformer(
            way: .whole { bytes throws(TransformFailure) in
                if bytes.contains(0x21) { throw TransformFailure(.invalidContent, "byte 0") }
                return bytes + [0x3F]
            }
        )
        let world = Self.world(transformer)
        world.fill("/a", Self.lines)
        #expect(world.get().text == "abc?")
        // When what replaces it cannot be transformed
        world.timekeeper.advance(by: .seconds(61))
        let client = world.get("/a", [("Cache-Control", "stale-if-error=100")])
        world.last.answer(200, [("Cache-Control", "max-age=60"), ("ETag", "\"b\"")], "bad!")
        world.runUntilIdle()
        // Then the earlier form serves who allows it, and only them.
        #expect(client.text == "abc?")
        #expect(client.outcome?.detail == "request-stale-if-error")
        #expect(world.get().failure?.status == 502)
        #expect(world.get("/a", [("Cache-Control", "stale-if-error=100")]).text == "abc?")
        #expect(world.provider.count == 2)
        // A later response that can be transformed ends that.
        world.timekeeper.advance(by: .seconds(61))
        let later = world.get("/a", [("Cache-Control", "stale-if-error=100")])
        world.last.answer(200, [("Cache-Control", "max-age=60"), ("ETag", "\"c\"")], "new")
        world.runUntilIdle()
        #expect(later.text == "new?")
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

    @Test("who waits for the head of a freshened original is told so, too, when the workers take no more")
    func overloadForSeveral() {
        let world = Self.world(.suffix("!"))
        world.fill("/a", Self.lines)
        world.timekeeper.advance(by: .seconds(61))
        let first = world.get()
        let second = Client(context: world.context)
        world.workers.isFull = true
        // It comes after the first has asked for the head, and before that is refused.
        world.workers.interruptRefusal {
            guard case .waiting(let waiter) = world.resource().serve(world.request(), to: second) else { return }
            second.note(waiter)
        }
        world.last.answer(304, [("ETag", "\"a\""), ("Cache-Control", "max-age=30"), ("X-New", "1")])
        world.runUntilIdle()
        #expect(first.failure?.status == 503 && second.failure?.status == 503)
        world.workers.isFull = false
        #expect(world.get().text == "abc!")
    }
}

@Suite("Pipelines and HTTP") struct DerivedResponseTests {
    static let lines = PipelineTests.lines

    @Test("a purge while a form is made keeps neither form nor original (T-259)")
    func purge() {
        let world = PipelineTests.world(.suffix("!"))
        world.workers.isImmediate = false
        let client = world.get()
        world.last.answer(200, Self.lines, "abc")
        world.runUntilIdle()
        world.resource().purge()
        world.workers.isImmediate = true
        world.runUntilIdle()
        #expect(client.text == "abc!")
        #expect(world.resource().latestResponse == nil)
        #expect(world.resource().snapshot.sharedHit == nil)
    }

    @Test("nobody waits: the run ends between two pieces and nothing is kept of it")
    func cancel() {
        let transformer = ScriptedTransformer.suffix("!")
        let world = PipelineTests.world(transformer)
        world.fill("/a", Self.lines)
        world.service.configuration.pipeline = PipelineTests.pipeline((PipelineStep(transformer), .cleanup))
        let before = transformer.counts.finished
        world.workers.isImmediate = false
        let client = world.get()
        client.leave()
        world.workers.isImmediate = true
        world.runUntilIdle()
        #expect(transformer.counts.finished == before)
        #expect(world.get().text == "abc!")
    }

    @Test("the shortest way serves the one form there is, never an original that a pipeline changes")
    func plain() throws {
        let world = PipelineTests.world(.suffix("!"))
        world.fill("/a", Self.lines)
        #expect(world.get().text == "abc!")
        let plain = try #require(world.resource().snapshot.sharedHit)
        #expect(plain.contentLength == 4)
        // Before the form is made nothing is plain.
        world.service.configuration.pipeline = PipelineTests.pipeline(
            (PipelineStep(ScriptedTransformer.suffix("?")), .model)
        )
        #expect(world.resource().snapshot.sharedHit == nil)
        #expect(world.get().text == "abc?")
        #expect(world.resource().snapshot.sharedHit?.contentLength == 4)
        world.service.configuration.pipeline = Pipeline()
        #expect(world.resource().snapshot.sharedHit?.contentLength == 3)
    }

    @Test("forms that depend on the request are kept side by side, and never plain")
    func variations() {
        var transformer = ScriptedTransformer.upper
        transformer.dependsOnRequest = true
        transformer.varies = .acceptLanguage
        let world = PipelineTests.world(transformer)
        world.fill("/a", Self.lines)
        #expect(world.get("/a", [("Accept-Language", "de")]).text == "ABC")
        #expect(world.get("/a", [("Accept-Language", "en")]).text == "ABC")
        #expect(world.get("/a", [("Accept-Language", "de")]).text == "ABC")
        // One for the request that filled it, one for each language.
        #expect(transformer.counts.finished == 3)
        #expect(world.resource().snapshot.sharedHit == nil)
        #expect(world.provider.count == 1)
    }

    @Test("a 204 and an empty response run through no content transformer (T-260)", arguments: [204, 200])
    func bodiless(_ status: Int) {
        let transformer = ScriptedTransformer(
            way: .whole { _ throws(TransformFailure) in throw TransformFailure(.invalidContent, "empty") }
        )
        let world = PipelineTests.world(transformer)
        let client = world.get()
        world.last.answer(UInt16(status), Self.lines, "")
        world.runUntilIdle()
        #expect(client.failure == nil)
        #expect(client.ending == .complete)
    }

    @Test("content of any status runs through a step that names it", arguments: [200, 201, 305, 404, 410])
    func namedStatus(_ status: UInt16) {
        var configuration = Configuration()
        let step = PipelineStep(ScriptedTransformer.suffix("!"), statuses: [status...status])
        configuration.pipeline.add(step, to: .model)
        let world = World(configuration: configuration)
        let client = world.get()
        world.last.answer(status, Self.lines, "abc")
        world.runUntilIdle()
        #expect(client.text == "abc!")
    }

    @Test("a step that changes the head only leaves the content where it is")
    func headOnly() throws {
        let transformer = ScriptedTransformer(way: .headOnly) { head throws(TransformFailure) in
            head.fields.append(name: "X-A", value: "b")
        }
        let world = PipelineTests.world(transformer)
        world.fill("/a", Self.lines + [("Last-Modified", "Sat, 01 Jan 2000 00:00:00 GMT")])
        let stored = try #require(world.get().stored)
        #expect(stored.fields.values(named: Array("x-a".utf8)).count == 1)
        #expect(!stored.fields.contains(.lastModified))
        #expect(world.get().text == "abc")
    }

    @Test(
        "where the coding is chosen here Vary names Accept-Encoding, once",
        arguments: [
            ([], ["Accept-Encoding"]), (["Origin"], ["Origin", "Accept-Encoding"]),
            (["Origin, Accept-Encoding"], ["Origin, Accept-Encoding"]),
            (["Origin,\taccept-encoding"], ["Origin,\taccept-encoding"]),
            (["Accept-Encoding", "Origin"], ["Accept-Encoding", "Origin"]),
            (["X-Accept-Encoding"], ["X-Accept-Encoding", "Accept-Encoding"]), (["Origin, *"], ["Origin, *"]),
        ]
    )
    func nominates(given: [String], expected: [String]) {
        let transformer = ScriptedTransformer(way: .headOnly) { head throws(TransformFailure) in
            head.fields.append(.contentEncoding, "gzip")
        }
        let world = PipelineTests.world(transformer)
        let client = world.get()
        world.last.answer(200, Self.lines + given.map { ("Vary", $0) }, "abc")
        world.runUntilIdle()
        let vary = client.following?.fields.values(of: .vary).map { String(decoding: $0, as: UTF8.self) }
        #expect(vary == expected)
    }

    @Test("no-transform of the response or of the request switches it off, unless the step is forced")
    func noTransform() {
        let world = PipelineTests.world(.suffix("!"))
        world.fill("/a", [("Cache-Control", "max-age=60, no-transform")])
        #expect(world.get().text == "abc")
        world.fill("/b", Self.lines)
        #expect(world.get("/b", [("Cache-Control", "no-transform")]).text == "abc")
        #expect(world.get("/b").text == "abc!")
        let forced = PipelineStep(ScriptedTransformer.suffix("!"), isForced: true)
        world.service.configuration.pipeline = PipelineTests.pipeline((forced, .model))
        #expect(world.get().text == "abc!")
        #expect(world.get("/b", [("Cache-Control", "no-transform")]).text == "abc!")
    }

    @Test("the rule may let through what is too large, stored or on its way")
    func oversize() {
        let step = PipelineStep(ScriptedTransformer.suffix("!"), onOversize: .pass)
        var configuration = Configuration()
        configuration.pipeline.add(step, to: .model)
        configuration.transformLimits.wholeContent = 4
        let world = World(configuration: configuration)
        let client = world.get()
        world.last.head(200, Self.lines)
        world.last.content("abc")
        world.runUntilIdle()
        world.last.content("def")
        world.runUntilIdle()
        world.last.content("ghi")
        world.last.end()
        world.runUntilIdle()
        #expect(client.text == "abcdefghi" && client.ending == .complete)
        #expect(world.get().text == "abcdefghi")
        // What nobody may store is passed as well.
        let other = world.get("/b")
        world.last.head(200, [("Cache-Control", "no-store")])
        world.last.content("abc")
        world.runUntilIdle()
        world.last.content("defghi")
        world.last.end()
        world.runUntilIdle()
        #expect(other.text == "abcdefghi" && other.ending == .complete)
    }

    @Test("steps run in the order of their stages, and within one in the order added (T-118 to T-121)")
    func order() {
        let world = World()
        for (tag, stage) in [("cle", PipelineStageKey.cleanup), ("dec", .decoding), ("mod", .model), ("par", .parsing)]
        {
            world.service.configuration.pipeline.add(PipelineStep(ScriptedTransformer.suffix(tag)), to: stage)
        }
        world.fill("/a", Self.lines, "-")
        #expect(world.get().text == "-decparmodcle")
        world.service.configuration.pipeline.order = [.rawData, .parsing, .cleanup, .model, .decoding]
        #expect(world.get().text == "-parclemoddec")
        world.service.configuration.pipeline.order = [.rawData, PipelineStageKey("own"), .decoding]
        #expect(world.get().text == "-dec")
        world.service.configuration.pipeline.removeAllTransformers()
        #expect(world.get().text == "-")
    }

    @Test(
        "patterns of content types are anchored and know no case (T-261)",
        arguments: [
            ("application/jsonp", false), ("application/json-seq", false), ("Application/JSON", true),
            ("application/foo+json;v=1", true),
        ]
    )
    func contentTypes(_ type: String, _ applies: Bool) {
        let patterns = ["*/json", "*/*+json"].compactMap { MediaTypePattern($0) }
        var configuration = Configuration()
        configuration.pipeline.add(
            PipelineStep(ScriptedTransformer.suffix("!"), contentTypes: patterns),
            to: .parsing
        )
        let world = World(configuration: configuration)
        world.fill("/a", [("Cache-Control", "max-age=60"), ("Content-Type", type)])
        #expect(world.get().text == (applies ? "abc!" : "abc"))
    }

    @Test("an unstorable response is transformed as well, and the origin is not asked for more than is taken")
    func backPressure() {
        let world = PipelineTests.world(.upper)
        let client = world.get(isReading: false)
        world.last.head(200, [("Cache-Control", "no-store")])
        var sent = 0
        while world.last.credit > 0, sent < 64 << 20 {
            let piece = [UInt8](repeating: 0x61, count: min(world.last.credit, 65_536))
            world.last.content(piece)
            sent += piece.count
            world.runUntilIdle()
        }
        #expect(sent < 4 << 20)
        if let body = client.following?.body { client.beginReading(body) }
        world.runUntilIdle()
        #expect(world.last.credit > 0)
        world.last.end()
        world.runUntilIdle()
        #expect(client.byteCount == sent && client.ending == .complete)
    }

    @Test("what is made of a whole may be more than waits for readers: they get it as they take it")
    func largeWhole() {
        let world = PipelineTests.world(.suffix("!"))
        let client = world.get()
        world.last.head(200, [("Cache-Control", "no-store")])
        var sent = 0
        while sent < 1 << 20 {
            let piece = [UInt8](repeating: 0x61, count: min(world.last.credit, 65_536))
            world.last.content(piece)
            sent += piece.count
            world.runUntilIdle()
        }
        world.last.end()
        world.runUntilIdle()
        #expect(client.byteCount == sent + 1 && client.ending == .complete)
    }

    @Test("a failure behind the head cuts the response")
    func cut() {
        let transformer = ScriptedTransformer(
            way: .streaming { [$0] }
        )
        let world = PipelineTests.world(transformer)
        let client = world.get()
        world.last.head(200, Self.lines)
        world.last.content("abc")
        world.runUntilIdle()
        #expect(client.text == "abc")
        world.last.fail(.connectionTerminated)
        world.runUntilIdle()
        #expect(client.ending == .failed)
    }
}
