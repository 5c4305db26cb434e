import Configurations
import HTTPCore
import ResourceCore
import ResourceDoubles
import TestDoubles
import Testing
import Transforms

@Suite("Renditions of responses that bypass the cache") struct PassingTests {
    private static let uri = World.uri("/a")

    @Test("the pipeline for the method transforms the response, for HEAD that for GET; without one it stays")
    func methods() {
        let world = World()
        world.service.reconfigure { list in
            list.configure(methods: [.get]) {
                $0.pipeline.add(PipelineStep(ScriptedTransformer.suffix("!")), to: .model)
            }
        }
        let asked = LockedBox(0)
        func isTransformed(_ method: Method) -> Bool {
            let rendition = world.service.passedRendition(for: Self.uri, method: method) {
                asked.change { $0 += 1 }
                return world.request(method: method)
            }
            return rendition != nil
        }
        #expect(!isTransformed(.post) && asked.value == 0)
        #expect(isTransformed(.head) && isTransformed(.get) && asked.value == 2)
    }

    @Test("a pipeline none of whose steps applies to the method transforms nothing")
    func otherSteps() {
        let world = World()
        world.service.configuration.pipeline = PipelineTests.pipeline(
            (PipelineStep(ScriptedTransformer.suffix("!"), methods: [.post]), .model)
        )
        let found = [Method.get, .head, .post].map { method in
            world.service.passedRendition(for: Self.uri, method: method) { world.request(method: method) } != nil
        }
        #expect(found == [false, false, true])
    }

    @Test("the origin is asked for the whole by its own tag, and a 304 gets the tag that the client knows")
    func tags() throws {
        let world = PipelineTests.world(.suffix("!"))
        world.fill("/a", PipelineTests.lines)
        let known = try #require(world.get().stored?.fields.text(of: .etag))
        let request = world.request("/a", [("If-None-Match", known), ("Range", "bytes=0-1")])
        let passed = world.service.passedRendition(for: Self.uri, method: .get) { request }
        let rendition = try #require(passed)
        let upstream = rendition.upstream(request.fields)
        #expect(known != "\"a\"" && upstream.text(of: .ifNoneMatch) == "\"a\"" && !upstream.contains(.range))
        var received = Fields()
        received.append(.etag, "\"a\"")
        #expect(rendition.notModified(received).text(of: .etag) == known)
    }

    @Test("whether a resource is redacted is a matter of its own configuration")
    func redacts() throws {
        let world = World()
        let glob = try URLGlob("http://origin.example/secret/**")
        world.service.reconfigure { list in
            list.configure { $0.pipeline.add(PipelineStep(ScriptedTransformer.suffix("!")), to: .model) }
            list.configure(glob) { $0.pipeline.add(PipelineStep(ScriptedTransformer.upper.redacting), to: .model) }
        }
        #expect(["/a", "/secret/a"].map { world.service.redacts(World.uri($0)) } == [false, true])
    }
}
