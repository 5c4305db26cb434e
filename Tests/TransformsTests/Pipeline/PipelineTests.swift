import HTTPCore
import TestDoubles
import Testing

@testable import Transforms

private struct NoCache: StageCache {}

@Suite("Pipelines") struct PipelineTests {
    private static let suffix = ScriptedTransformer.suffix("!")

    @Test("an empty pipeline has no fingerprint; what does not run does not count")
    func empty() {
        var pipeline = Pipeline()
        #expect(pipeline.isEmpty && pipeline.isInvariant)
        pipeline.add(PipelineStep(Self.suffix), to: .model)
        #expect(!pipeline.isEmpty && pipeline.fingerprint.utf8.count == 16)
        pipeline.order = [.rawData]
        #expect(pipeline.isEmpty && pipeline.unlisted == [.model])
    }

    @Test("a new pipeline has the five usual stages, in order, and nothing in them")
    func standard() {
        let pipeline = Pipeline()
        #expect(pipeline.order.map { "\($0)" } == ["rawData", "decoding", "parsing", "model", "cleanup"])
        #expect(pipeline.order.allSatisfy { pipeline[$0].isEmpty && !pipeline[$0].isCaching })
        #expect(pipeline.redactingCount == 0 && pipeline.redactingFingerprint.isEmpty && !pipeline.redacts)
    }

    @Test("a step whose stage is not in the order is put at the end")
    func ownStage() {
        let own = PipelineStageKey("own")
        var pipeline = Sample.pipeline(PipelineStep(ScriptedTransformer.upper))
        pipeline.add(PipelineStep(Self.suffix), to: own)
        #expect(pipeline.order.last == own)
        #expect(pipeline.sequence.map(\.stage) == [.model, own])
    }

    @Test("the fingerprint covers every option of a step, the stage's name and the order")
    func fingerprint() throws {
        let type = try #require(MediaTypePattern("text/*"))
        let steps = [
            PipelineStep(Self.suffix), PipelineStep(ScriptedTransformer.suffix("?")),
            PipelineStep(ScriptedTransformer(name: "other", fingerprint: "!", way: .headOnly)),
            PipelineStep(Self.suffix, contentTypes: [type]), PipelineStep(Self.suffix, statuses: [200...200]),
            PipelineStep(Self.suffix, statuses: [200...299]), PipelineStep(Self.suffix, methods: [.get]),
            PipelineStep(Self.suffix, isForced: true), PipelineStep(Self.suffix, onOversize: .pass),
            PipelineStep(Self.suffix, keepsOriginal: true),
        ]
        var seen = Set(steps.map { Sample.pipeline($0).fingerprint })
        #expect(seen.count == steps.count)
        var elsewhere = Pipeline()
        elsewhere.add(steps[0], to: .cleanup)
        for pipeline in [elsewhere, Sample.pipeline(steps[0], steps[1]), Sample.pipeline(steps[1], steps[0])] {
            #expect(seen.insert(pipeline.fingerprint).inserted)
        }
        #expect(Sample.pipeline(steps[0]) == Sample.pipeline(PipelineStep(Self.suffix)))
        #expect(Sample.pipeline(steps[0]) != Sample.pipeline(steps[1]))
    }

    @Test("stages keep their steps when the order changes; a stage can be emptied alone or with all others (S-169)")
    func removing() {
        var pipeline = Sample.pipeline(PipelineStep(Self.suffix))
        pipeline.add(PipelineStep(ScriptedTransformer.upper), to: .cleanup)
        pipeline.order = [.cleanup, .model]
        #expect(pipeline.sequence.map(\.stage) == [.cleanup, .model])
        pipeline[.model].removeTransformers()
        #expect(pipeline.sequence.map(\.stage) == [.cleanup] && pipeline[.model].isEmpty)
        pipeline.removeAllTransformers()
        #expect(pipeline.isEmpty && pipeline.order == [.cleanup, .model])
    }

    @Test("caches stay when transformers go, and go alone; a stage that has either but is not listed is told (S-169)")
    func caches() {
        var pipeline = Sample.pipeline(PipelineStep(Self.suffix))
        #expect(!pipeline[.model].isCaching && pipeline.unlisted.isEmpty)
        pipeline[.model].cache = NoCache()
        pipeline.removeAllTransformers()
        #expect(pipeline[.model].isCaching && pipeline[.model].isEmpty && pipeline.isEmpty)
        pipeline.order = [.cleanup]
        #expect(pipeline.unlisted == [.model])
        pipeline.removeAllCaches()
        #expect(!pipeline[.model].isCaching && pipeline.unlisted.isEmpty)
        pipeline.add(PipelineStep(Self.suffix), to: .cleanup)
        pipeline[.cleanup].cache = NoCache()
        pipeline.removeAllCaches()
        #expect(!pipeline[.cleanup].isCaching && !pipeline.isEmpty)
        pipeline[.cleanup].cache = NoCache()
        pipeline.clear()
        #expect(!pipeline[.cleanup].isCaching && pipeline.isEmpty && pipeline.order == [.cleanup])
    }

    @Test("steps run before anything is stored up to the last redaction that keeps no original")
    func redacting() {
        let (plain, hiding) = (PipelineStep(Self.suffix), PipelineStep(Self.suffix.redacting))
        let keeping = PipelineStep(Self.suffix.redacting, keepsOriginal: true)
        let post = PipelineStep(Self.suffix.redacting, methods: [.post])
        for (steps, count) in [
            ([], 0), ([plain], 0), ([hiding], 1), ([plain, hiding, plain], 2), ([hiding, keeping], 1),
            ([keeping], 0), ([post], 0),
        ] as [([PipelineStep], Int)] {
            var pipeline = Pipeline()
            for step in steps { pipeline.add(step, to: .model) }
            #expect(pipeline.redactingCount == count)
            #expect(pipeline.redactingFingerprint.isEmpty == (count == 0))
        }
        #expect(Sample.pipeline(keeping).redacts && !Sample.pipeline(post).redacts && !Sample.pipeline(plain).redacts)
    }

    @Test("administrators may not see an original that a redaction hides")
    func hidden() throws {
        let json = try #require(MediaTypePattern("*/json"))
        let fields = Sample.fields([("Content-Type", "application/json")])
        func hides(_ step: PipelineStep, _ status: UInt16 = 200, _ fields: Fields = fields) -> Bool {
            Sample.pipeline(step).hidesOriginal(status: status, fields: fields)
        }
        let hiding = PipelineStep(Self.suffix.redacting, contentTypes: [json])
        #expect(hides(hiding) && hides(hiding, 500))
        #expect(!hides(hiding, 200, Sample.fields([("Content-Type", "text/plain")])) && !hides(hiding, 200, Fields()))
        #expect(!hides(PipelineStep(Self.suffix.redacting, keepsOriginal: true)))
        #expect(!hides(PipelineStep(Self.suffix)))
        // A step that does not redact hides nothing.
        let both = Sample.pipeline(PipelineStep(Self.suffix), hiding)
        let plain = Sample.fields([("Content-Type", "text/plain")])
        #expect(!both.hidesOriginal(status: 200, fields: plain))
        // Nor does one before the last that keeps the original, or is for another method.
        for other in [
            PipelineStep(Self.suffix.redacting, keepsOriginal: true),
            PipelineStep(Self.suffix.redacting, methods: [.post]),
        ] {
            let pipeline = Sample.pipeline(other, hiding)
            #expect(pipeline.redactingCount == 2 && pipeline.hidesOriginal(status: 200, fields: fields))
            #expect(!pipeline.hidesOriginal(status: 200, fields: plain))
        }
    }

    @Test("a pipeline is invariant unless a transformer depends on the request")
    func invariant() {
        #expect(Sample.pipeline(PipelineStep(Self.suffix)).isInvariant)
        var varying = Self.suffix
        varying.dependsOnRequest = true
        #expect(!Sample.pipeline(PipelineStep(Self.suffix), PipelineStep(varying)).isInvariant)
    }

    @Test("a pipeline applies to responses that a step covers by method, status and type")
    func applies() throws {
        let text = try #require(MediaTypePattern("text/*"))
        let pipeline = Sample.pipeline(
            PipelineStep(Self.suffix, contentTypes: [text]),
            PipelineStep(Self.suffix, statuses: [200...599], methods: [.post])
        )
        let fields = Sample.fields([("Content-Type", "text/plain")])
        #expect(pipeline.applies(status: 200, fields: fields))
        #expect(!pipeline.applies(status: 404, fields: fields))
        #expect(!pipeline.applies(status: 200, fields: Fields()))
    }
}
