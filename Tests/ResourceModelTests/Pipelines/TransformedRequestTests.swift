import Formats
import HTTPCore
import Testing
import Transforms
import TestDoubles

@testable import ResourceCore
@testable import ResourceModel

/// Pipelines at work in the loads of a program.
@Suite("Pipelines of loads") struct TransformedRequestTests {
    private static let text = [("Content-Type", "text/plain")]

    /// A world whose service has the standard transformers.
    private static func world(
        _ standard: [StandardTransformer] = StandardTransformer.all,
        _ rule: @escaping StubNetworking.Rule = { _ in nil }
    ) -> ProgramWorld {
        let world = ProgramWorld(rule)
        for transformer in standard { world.service.configure { $0.pipeline.add(transformer) } }
        return world
    }

    private static func load(_ world: ProgramWorld, _ result: NetworkingResult) -> Resource {
        let resource = world.resource()
        world.networking.answer { _ in result }
        resource.load()
        world.runUntilIdle()
        return resource
    }

    @Test("what a load brings has gone through the pipeline (T-081, T-088, T-094, S-155)")
    func loaded() {
        let text = Self.load(Self.world(), .answer(200, Self.text, "abc"))
        #expect(text.latestData?.content as? String == "abc" && text.text == "abc")
        let json = Self.load(Self.world(), .answer(200, [("Content-Type", "application/json")], "{\"a\":[1]}"))
        #expect((json.jsonDict["a"] as? [any Sendable])?.first as? Int == 1)
    }

    @Test("a load whose content cannot be parsed fails; accessors are empty (T-091, T-095, T-115, S-172)")
    func unparsable() {
        let resource = Self.load(Self.world(), .answer(200, [("Content-Type", "application/json")], "{"))
        #expect(resource.latestData == nil && resource.latestError?.cause is JSONSyntaxError)
        #expect(resource.latestError?.userMessage.lowercased().contains("cannot parse") == true)
        #expect(resource.jsonDict.isEmpty && resource.typedContent(ifNone: 7) == 7)
    }

    @Test("a failed load keeps the text of its error, and no data (T-106, S-177)")
    func errorText() {
        let world = Self.world()
        world.service.configureTransformer("**") { (entity: Entity<String>) in Model(name: entity.content) }
        let resource = Self.load(world, .answer(500, Self.text, "why"))
        #expect(resource.latestData == nil && resource.latestError?.text == "why")
    }

    @Test("not modified leaves the content as it is, without another run (T-104, S-097, S-171)")
    func notModified() {
        let world = Self.world()
        let suffix = FullTransformer.suffix("!")
        world.service.configure { $0.pipeline[.model].add(suffix) }
        let resource = Self.load(world, .answer(200, Self.text + [("ETag", "\"e\"")], "abc"))
        #expect(resource.text == "abc!" && suffix.count.value == 1)
        _ = Self.load(world, .answer(304, [("ETag", "\"e\"")], nil))
        #expect(world.networking.last.request[field: "If-None-Match"] == "\"e\"")
        #expect(resource.text == "abc!" && suffix.count.value == 1)
    }

    @Test("however many wait and observe, each transformer runs once (S-127, S-171)")
    func once() {
        let world = Self.world()
        let suffix = FullTransformer.suffix("!")
        let typed = LockedBox(0)
        world.service.configure { $0.pipeline[.parsing].add(suffix) }
        world.service.configureTransformer("**") { (entity: Entity<String>) in
            typed.change { $0 += 1 }
            return Model(name: entity.content)
        }
        let resource = world.resource()
        let seen = LockedBox<[Model?]>([])
        for _ in 0..<5 {
            resource.loadIfNeeded()?.onSuccess { entity in seen.change { $0.append(entity.typedContent()) } }
                .onNewData { entity in seen.change { $0.append(entity.typedContent()) } }
        }
        world.runUntilIdle()
        world.networking.last.answer(200, Self.text, "abc")
        world.runUntilIdle()
        #expect(seen.value == [Model?](repeating: Model(name: "abc!"), count: 10))
        #expect(suffix.count.value == 1 && typed.value == 1 && world.networking.exchanges.count == 1)
    }

    @Test("of two transformers configured for one pattern only the second is applied (T-111, S-055)")
    func replacing() {
        let world = Self.world()
        world.service.configureTransformer("**") { (entity: Entity<String>) in "first \(entity.content)" }
        world.service.configureTransformer("**") { (entity: Entity<String>) in "second \(entity.content)" }
        #expect(Self.load(world, .answer(200, Self.text, "abc")).text == "second abc")
        world.service.configureTransformer("**", action: .appendToExisting) { (entity: Entity<String>) in
            "third \(entity.content)"
        }
        #expect(Self.load(world, .answer(200, Self.text, "abc")).text == "third second abc")
    }

    @Test("a transformer may be for some methods; the final one decides (T-112, S-055, S-043, S-173)")
    func byMethod() {
        let world = Self.world { _ in .answer(200, Self.text, "abc") }
        world.service.configureTransformer("**", requestMethods: [.put, .post]) { (entity: Entity<String>) in
            Model(name: entity.content)
        }
        func content(_ request: Request) -> (any Sendable)? {
            world.runUntilIdle()
            return request.result?.response.entity?.content
        }
        #expect(content(world.resource().request(.get)) as? String == "abc")
        #expect(content(world.resource().request(.post)) as? Model == Model(name: "abc"))
        #expect(content(world.resource().request(.get) { $0.method = .put }) as? Model == Model(name: "abc"))
    }

    @Test(
        "HEAD and 204 with a type of JSON succeed with nothing (T-260, S-252)",
        arguments: [(.head, 200), (.get, 204)] as [(Method, UInt16)]
    )
    func noContent(method: Method, status: UInt16) {
        let world = Self.world { _ in .answer(status, [("Content-Type", "application/json")], nil) }
        let request = world.resource().request(method)
        world.runUntilIdle()
        #expect(request.result?.response.content as? [UInt8] == [])
    }

    @Test(
        "an empty body is not parsed, whatever status and type it has (S-179, S-153)",
        arguments: [nil, ""] as [String?]
    )
    func emptyContent(content: String?) {
        let world = Self.world { _ in .answer(200, [("Content-Type", "application/json")], content) }
        let resource = world.resource()
        let request = resource.load()
        world.runUntilIdle()
        #expect(request.result?.response.content as? [UInt8] == [] && resource.latestError == nil)
        #expect(resource.latestData?.content as? [UInt8] == [] && resource.jsonDict.isEmpty)
    }

    @Test(
        "only what has its transformer fails (T-100, S-006)",
        arguments: [[.text, .image], [.json], []] as [[StandardTransformer]]
    )
    func standard(transformers: [StandardTransformer]) {
        for (type, name) in [
            ("application/json", "JSON"), ("text/plain; charset=utf-8", "text"), ("image/png", "image"),
        ] {
            var result = NetworkingResult.answer(200, [("Content-Type", type)])
            result.content = [0xD8]
            let resource = Self.load(Self.world(transformers), result)
            #expect((resource.latestError != nil) == transformers.contains { $0.name == name })
        }
    }

    @Test("what is given up, made up or not of the network goes through no pipeline (S-154, S-171)")
    func notRun() {
        let world = Self.world()
        let suffix = FullTransformer.suffix("!")
        world.service.configure { $0.pipeline[.model].add(suffix) }
        let resource = world.resource()
        let given = resource.load()
        world.runUntilIdle()
        given.cancel()
        world.networking.last.answer(200, Self.text, "abc")
        world.runUntilIdle()
        resource.overrideLocalData(Entity(content: "mine", contentType: "text/plain"))
        world.runUntilIdle()
        #expect(resource.text == "mine" && suffix.count.value == 0)
    }

    @Test("caching stages keep what a load put out, and nothing of a plain request (T-134, S-190, S-242)")
    func written() {
        let world = Self.world { _ in .answer(200, Self.text, "abc") }
        let cacheContext = ManualContext()
        let cache = RecordingCache(on: cacheContext)
        world.service.configure {
            $0.pipeline[.parsing].cacheUsing(cache)
            $0.pipeline[.model].add(FullTransformer.suffix("!"))
        }
        world.resource().request(.get)
        world.runUntilIdle()
        cacheContext.run()
        #expect(cache.entities.isEmpty)
        let resource = world.resource()
        resource.load()
        for _ in 0..<4 {
            world.runUntilIdle()
            cacheContext.run()
        }
        #expect(cache.entities["/a"]?.text == "abc" && resource.text == "abc!")
    }
}
