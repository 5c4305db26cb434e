import HTTPCore
import TestDoubles
import Testing

@testable import Transforms

/// What the steps of a pipeline make of a head.
@Suite("Plans of pipelines") struct PipelinePlanTests {
    private static let text = [("Content-Type", "text/plain")]

    private static func begin(
        _ pipeline: Pipeline,
        _ lines: [(String, String)] = PipelinePlanTests.text,
        hasContent: Bool = true,
        decoder: (any StreamingTransformer)? = nil
    ) throws -> PipelinePlan.Begun {
        let plan = try #require(Sample.rendition(pipeline)?.plan())
        let head = EntityHead(status: 200, fields: Sample.fields(lines))
        return try plan.begin(
            head,
            part: .whole,
            hasContent: hasContent,
            budget: TransformBudget(),
            decoder: decoder
        )
    }

    /// A transformer that refuses every head.
    private static func refusing(_ name: String) -> ScriptedTransformer {
        ScriptedTransformer(
            name: name,
            way: .headOnly,
            onHead: { _ throws(TransformFailure) in throw TransformFailure(.wrongInput, "no") }
        )
    }

    @Test("a step applies by the type that the steps before it have made", arguments: [true, false])
    func types(hasContent: Bool) throws {
        let json = try #require(MediaTypePattern("application/json"))
        let plain = try #require(MediaTypePattern("text/plain"))
        let making = ScriptedTransformer(
            name: "making",
            way: .headOnly,
            onHead: { head throws(TransformFailure) in head.fields.set(.contentType, "application/json") }
        )
        let pipeline = Sample.pipeline(
            PipelineStep(making, contentTypes: [plain]),
            PipelineStep(ScriptedTransformer.suffix("!"), contentTypes: [json], onOversize: .pass),
            PipelineStep(ScriptedTransformer.upper, contentTypes: [plain])
        )
        let begun = try Self.begin(pipeline, hasContent: hasContent)
        #expect(begun.outline.head.fields.text(of: .contentType) == "application/json")
        #expect(begun.outline.changesContent)
        #expect(begun.filters.map(\.name) == (hasContent ? ["suffix"] : []))
        #expect(begun.filters.allSatisfy { $0.stage == "model" && $0.isPassedWhenOversize })
    }

    @Test("a transformer that refuses a head is named, and so is a decoder that does")
    func refused() throws {
        var decoded = ScriptedTransformer.upper
        decoded.needsDecodedContent = true
        let first = PipelineStep(ScriptedTransformer.suffix("!"))
        let cases: [(step: ScriptedTransformer, coding: String?, name: String)] = [
            (Self.refusing("refusing"), nil, "refusing"), (decoded, "x", "decode"),
        ]
        for (step, coding, name) in cases {
            let lines = Self.text + (coding.map { [("Content-Encoding", $0)] } ?? [])
            let failure = #expect(throws: TransformationFailure.self) {
                _ = try Self.begin(
                    Sample.pipeline(first, PipelineStep(step)),
                    lines,
                    decoder: Self.refusing("decode")
                )
            }
            let reason = TransformFailure(.wrongInput, "no")
            #expect(failure == TransformationFailure(stage: "model", transformer: name, failure: reason))
        }
    }
}
