import Exchanges
import HTTPCore
import TestDoubles
import Testing

@testable import Transforms

/// Runs that let the original through, and those that must not.
@Suite("Runs and originals") struct RunOriginalTests {
    private static let passing = PipelineStep(ScriptedTransformer.suffix("!"), onOversize: .pass)

    private static func limits(_ bytes: Int) -> TransformLimits {
        var limits = TransformLimits()
        limits.wholeContent = bytes
        return limits
    }

    // MARK: Redactions

    @Test(
        "a redaction that leaves the content alone still puts it out itself, without the original's trailers",
        arguments: [(.whole, true), (.beforeStore, true), (.afterStore, false)] as [(PipelinePlan.Part, Bool)]
    )
    func redaction(part: PipelinePlan.Part, copies: Bool) throws {
        let step = PipelineStep(ScriptedTransformer(way: .headOnly).redacting)
        let scene = try RunScene(Sample.pipeline(step), RunScene.bytes("abc"), part: part)
        scene.start()
        #expect(scene.text == (copies ? "abc" : "") && scene.isChanged == copies && scene.output.isComplete)
        let empty = try RunScene(Sample.pipeline(step), RunScene.bytes(""), part: part, hasContent: false)
        empty.start()
        guard case .unchanged? = empty.ready else { return #expect(Bool(false), "there is nothing to copy") }
    }

    @Test("a redaction in any step keeps content that is too large from passing")
    func redactionBeside() throws {
        let streaming = PipelineStep(ScriptedTransformer.upper.redacting)
        for source in [RunScene.bytes("12345"), .growing(RunScene.growing(isStorable: false))] {
            let scene = try RunScene(Sample.pipeline(Self.passing, streaming), source, limits: Self.limits(4))
            scene.start()
            if case .growing(let body) = source {
                for text in ["123", "45"] { body.append(ByteChunk(text)) }
                scene.runUntilIdle()
            }
            #expect(scene.reason == .limit && scene.text.isEmpty && !scene.output.isComplete)
        }
    }

    @Test("the failure names the filter that found the content too large, wherever it stands")
    func namedFilter() throws {
        let streaming = PipelineStep(ScriptedTransformer.upper.redacting)
        let scene = try RunScene(
            Sample.pipeline(streaming, Self.passing),
            RunScene.bytes("12345"),
            limits: Self.limits(4)
        )
        scene.start()
        guard case .transformation(let failure)? = scene.failure else { return #expect(Bool(false)) }
        #expect(failure.transformer == "suffix" && failure.failure.reason == .limit)
    }

    // MARK: Content that is too large

    @Test("a step that streams does not keep content that is too large from passing")
    func streamingBeside() throws {
        let pipeline = Sample.pipeline(Self.passing, PipelineStep(ScriptedTransformer.upper))
        let scene = try RunScene(pipeline, RunScene.bytes("12345"), limits: Self.limits(4))
        scene.start()
        guard case .passed(byOutput: false)? = scene.ready else { return #expect(Bool(false)) }
        #expect(scene.text.isEmpty && scene.output.isComplete)
    }

    @Test("content that turns out too large passes from its source if all of it is there")
    func fromSource() throws {
        let source = RunScene.growing()
        let scene = try RunScene(Sample.pipeline(Self.passing), .growing(source), limits: Self.limits(4))
        scene.start()
        for text in ["123", "456", "7"] {
            source.append(ByteChunk(text))
            scene.runUntilIdle()
        }
        source.finish(trailers: nil)
        scene.runUntilIdle()
        guard case .passed(byOutput: false)? = scene.ready else { return #expect(Bool(false)) }
        #expect(scene.text.isEmpty && scene.output.isComplete)
    }

    @Test("content that turns out too large fails if its beginning is gone from source and run")
    func gone() throws {
        var limits = GrowingBody.Limits()
        (limits.inMemory, limits.maximumMemoryObject, limits.window) = (1000, 2000, 2000)
        let source = RunScene.growing(limits: limits)
        let scene = try RunScene(Sample.pipeline(Self.passing), .growing(source), limits: Self.limits(4500))
        scene.start()
        for _ in 0..<5 {
            source.append(ByteChunk([UInt8](repeating: 97, count: 1000)))
            scene.runUntilIdle()
        }
        #expect(!source.acceptsReaders && scene.reason == .limit && scene.text.isEmpty)
    }

    @Test("content that is announced as too large fails before any of it has come", arguments: [4, 5])
    func announced(length: Int64) throws {
        let source = RunScene.growing(expected: length)
        let scene = try RunScene(RunScene.suffix, .growing(source), limits: Self.limits(4))
        scene.start()
        #expect(scene.reason == (length > 4 ? .limit : nil))
        #expect(source.received == 0)
    }
}
