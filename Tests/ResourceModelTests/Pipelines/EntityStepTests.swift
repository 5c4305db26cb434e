import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing
import Transforms

@testable import ResourceCore
@testable import ResourceModel

@Suite("Streaming steps on what programs load")
struct EntityStepTests {
    private func context(
        _ status: UInt16?,
        _ request: [(String, String)] = [],
        hasContent: Bool = true
    ) -> PipelineContext {
        var fields = Fields()
        for (name, value) in request { fields.append(name: name, value: value) }
        return PipelineContext(
            uri: World.uri("/a"),
            method: .get,
            request: fields,
            status: status,
            hasContent: hasContent,
            limits: TransformLimits(),
            environment: CoreEnvironment(timekeeper: ManualTimekeeper(), hasher: PlainHasher())
        )
    }

    /// What a pipeline makes of text.
    private func run(_ text: String, _ context: PipelineContext, _ change: (inout Pipeline) -> Void) -> Response {
        var fields = Fields()
        fields.append(name: "Content-Type", value: "text/plain")
        var pipeline = Pipeline()
        change(&pipeline)
        return pipeline.run(.success(Entity(response: fields, content: Array(text.utf8))), context).response
    }

    /// What a step that appends an exclamation mark makes of text.
    private func marked(
        _ text: String,
        _ context: PipelineContext,
        statuses: [ClosedRange<UInt16>] = [],
        isForced: Bool = false
    ) -> String? {
        run(text, context) {
            $0[.rawData].add(PipelineStep(ScriptedTransformer.suffix("!"), statuses: statuses, isForced: isForced))
        }.contentText
    }

    @Test("a success without a status counts as 200, and may have content (S-252)")
    func noStatus() {
        #expect(!context(nil).isBodiless && context(nil, hasContent: false).isBodiless)
        let texts = [199, 200, 201].map { marked("a", context(nil), statuses: [$0...$0]) }
        #expect(texts == ["a", "a!", "a"])
    }

    @Test("no-transform of the request keeps steps away, too, unless they are forced (RFC 9111 §5.2.1.6)")
    func noTransform() {
        let context = context(200, [("Cache-Control", "no-transform")])
        #expect(marked("a", context) == "a" && marked("a", context, isForced: true) == "a!")
        #expect(marked("a", self.context(200, [("Cache-Control", "no-cache")])) == "a!")
    }

    @Test("a step gets no content where there is none by its nature; empty content is content (S-252)")
    func emptyContent() {
        #expect(marked("", context(200)) == "!")
        for context in [context(200, hasContent: false), context(204)] {
            #expect(marked("", context) == "" && marked("a", context) == "a!")
        }
    }

    @Test("content that a full transformer made of nothing goes through the later stages (S-178, S-252)")
    func madeOfNothing() {
        func model(_ made: (any Sendable)?) -> Response {
            run("", context(204)) {
                if let made {
                    $0[.decoding].add(
                        FullTransformer { _ in .success(Entity(content: made, contentType: "text/plain")) }
                    )
                }
                $0[.model].add(
                    ResponseContentTransformer(onInputTypeMismatch: .skip) { (entity: Entity<String>) in
                        Model(name: entity.content)
                    }
                )
                $0[.cleanup].add(
                    ResponseContentTransformer(onInputTypeMismatch: .skip) { (entity: Entity<[UInt8]>) in
                        entity.content + [0x21]
                    }
                )
            }
        }
        #expect(model("text").content as? Model == Model(name: "text"))
        #expect(model([0x61] as [UInt8]).contentText == "a!")
        #expect(model(nil).contentText == "" && model([UInt8]()).contentText == "")
    }

    @Test("a step behind a cache is run on a hit as on a response with status 200 (S-188)")
    func behindCache() {
        let jobs = ManualContext()
        for (status, expected) in [(199, "kept"), (200, "kept!"), (201, "kept")] as [(UInt16, String)] {
            let (world, cache) = (ProgramWorld(), RecordingCache(on: jobs))
            cache.entities = ["/a": Entity(content: Array("kept".utf8), contentType: "text/plain")]
            world.service.configure {
                $0.pipeline[.rawData].cacheUsing(cache)
                let step = PipelineStep(ScriptedTransformer.suffix("!"), statuses: [status...status])
                $0.pipeline[.model].add(step)
            }
            let resource = world.resource()
            _ = resource.latestData
            jobs.run()
            #expect(resource.latestData?.plainText == expected)
        }
    }
}
