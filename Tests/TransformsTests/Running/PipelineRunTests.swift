import Exchanges
import HTTPCore
import Locking
import TestDoubles
import Testing

@testable import Transforms

@Suite("Runs of pipelines") struct PipelineRunTests {
    private static let suffix = Sample.pipeline(PipelineStep(ScriptedTransformer.suffix("!")))
    private static let upper = Sample.pipeline(PipelineStep(ScriptedTransformer.upper))

    private static func bytes(_ text: String) -> PipelineSource { .stored(.bytes(Array(text.utf8))) }

    @Test("stored content goes through all steps in order, and the run ends well")
    func stored() throws {
        let pipeline = Sample.pipeline(
            PipelineStep(ScriptedTransformer.upper),
            PipelineStep(ScriptedTransformer.suffix("a"))
        )
        let scene = try RunScene(pipeline, Self.bytes("abc"))
        scene.start()
        #expect(scene.text == "ABCa" && scene.isChanged && scene.output.isComplete)
        // The origin gave a tag, so no digest is made.
        guard case .success(nil)? = scene.end else { return #expect(Bool(false)) }
    }

    @Test("content codings are removed only where a step of this part needs that")
    func decodingOfPart() throws {
        var step = ScriptedTransformer.upper
        step.needsDecodedContent = true
        let decoder = ScriptedTransformer(name: "decoder", way: .streaming { [$0, $0] }) {
            $0.fields.remove(.contentEncoding)
        }
        for (part, text) in [(.beforeStore, "abc"), (.afterStore, "AABBCC"), (.whole, "AABBCC")]
            as [(PipelinePlan.Part, String)]
        {
            let scene = try RunScene(
                Sample.pipeline(PipelineStep(step)),
                Self.bytes("abc"),
                fields: [("Content-Type", "text/plain"), ("Content-Encoding", "x"), ("ETag", "\"a\"")],
                part: part,
                decoder: decoder
            )
            scene.start()
            #expect(scene.text == text, "\(part)")
        }
    }

    @Test("a run that has read content is ready, although it has no output yet")
    func readyWithoutOutput() throws {
        let source = RunScene.growing()
        let pipeline = Sample.pipeline(PipelineStep(ScriptedTransformer(way: .streaming { _ in [] })))
        let scene = try RunScene(pipeline, .growing(source))
        scene.start()
        #expect(!scene.isChanged)
        source.append(ByteChunk("abc"))
        scene.runUntilIdle()
        #expect(scene.isChanged && scene.text.isEmpty && scene.end == nil)
    }

    @Test("without a tag of the origin the end brings a digest of the output")
    func digest() throws {
        let scene = try RunScene(Self.suffix, Self.bytes("abc"), fields: [("Content-Type", "text/plain")])
        scene.start()
        var digest = ContentDigest()
        digest.update(Array("abc!".utf8).span)
        #expect(try scene.end?.get() == digest.hex)
    }

    @Test("a transformer that streams puts out what has come; one that needs everything waits for the end")
    func growing() throws {
        for (pipeline, early, late) in [(Self.upper, "AB", "C"), (Self.suffix, "", "abc!")] {
            let source = RunScene.growing()
            let scene = try RunScene(pipeline, .growing(source))
            scene.start()
            source.append(ByteChunk(Array("ab".utf8)))
            scene.runUntilIdle()
            #expect(scene.text == early && scene.isChanged == !early.isEmpty)
            source.append(ByteChunk(Array("c".utf8)))
            source.finish(trailers: nil)
            scene.runUntilIdle()
            #expect(scene.text == late && scene.isChanged && scene.output.isComplete)
        }
    }

    @Test("chunks that came together go through a transformer in order, none is lost", arguments: [1, 4, 5, 20])
    func manyChunks(count: Int) throws {
        let source = RunScene.growing()
        let scene = try RunScene(Self.upper, .growing(source))
        let letters = "abcdefghijklmnopqrst".prefix(count)
        let pieces = letters.map { String(repeating: $0, count: 1500) }
        for piece in pieces { source.append(ByteChunk(Array(piece.utf8))) }
        source.finish(trailers: nil)
        scene.start()
        #expect(scene.text == pieces.joined().uppercased() && scene.output.isComplete)
    }

    @Test("the head of an event stream is ready before the first event")
    func eventStream() throws {
        let scene = try RunScene(
            Self.upper,
            .growing(RunScene.growing()),
            fields: [("Content-Type", "text/event-stream")]
        )
        scene.start()
        #expect(scene.isChanged)
        let plain = try RunScene(Self.upper, .growing(RunScene.growing()))
        plain.start()
        #expect(plain.ready == nil)
    }

    @Test("the output of a run never gets far beyond what was granted, and goes on with the next grant")
    func credit() throws {
        let content = [UInt8](repeating: 97, count: 4 << 20)
        let scene = try RunScene(Self.upper, .stored(.bytes(content)), credit: 64 * 1024)
        scene.start()
        #expect(scene.isChanged && scene.output.received == 64 * 1024 && scene.end == nil)
        scene.run.grant(64 * 1024)
        scene.runUntilIdle()
        #expect(scene.output.received == 128 * 1024)
        scene.run.grant(1 << 30)
        scene.runUntilIdle()
        #expect(scene.output.isComplete && scene.output.received == 4 << 20)
    }

    @Test("steps that leave the content alone report the new head, and read nothing")
    func headOnly() throws {
        let step = ScriptedTransformer(
            way: .headOnly,
            onHead: { head throws(TransformFailure) in head.fields.append(name: "X-A", value: "1") }
        )
        let scene = try RunScene(Sample.pipeline(PipelineStep(step)), .growing(RunScene.growing()))
        scene.start()
        guard case .unchanged(let outline)? = scene.ready else { return #expect(Bool(false)) }
        #expect(outline.head.fields.text(named: "X-A") == "1" && !outline.changesContent)
    }

    @Test("a response without content reports the changed head, and no step finishes any content")
    func noContent() throws {
        let suffix = ScriptedTransformer.suffix("!")
        let scene = try RunScene(Sample.pipeline(PipelineStep(suffix)), Self.bytes(""), hasContent: false)
        scene.start()
        guard case .unchanged(let outline)? = scene.ready else { return #expect(Bool(false)) }
        #expect(outline.changesContent && suffix.counts.begun == 1 && suffix.counts.finished == 0)
    }

    @Test("each part of a pipeline runs its own steps", arguments: ["before", "behind"])
    func parts(name: String) throws {
        let pipeline = Sample.pipeline(
            PipelineStep(ScriptedTransformer.suffix("1").redacting),
            PipelineStep(ScriptedTransformer.suffix("2"))
        )
        let scene = try RunScene(pipeline, Self.bytes("-"), part: name == "before" ? .beforeStore : .afterStore)
        scene.start()
        #expect(scene.text == (name == "before" ? "-1" : "-2"))
    }

    // MARK: Failures

    @Test("a failure names the transformer, and nothing comes out")
    func failing() throws {
        let failing = ScriptedTransformer(
            way: .whole { _ throws(TransformFailure) in throw TransformFailure(.invalidContent, "no") }
        )
        let scene = try RunScene(Sample.pipeline(PipelineStep(failing)), Self.bytes("abc"))
        scene.start()
        guard case .transformation(let failure)? = scene.failure else { return #expect(Bool(false)) }
        #expect(failure.transformer == "scripted" && failure.failure.reason == .invalidContent)
        #expect(scene.text.isEmpty && !scene.output.isComplete)
        guard case .failure? = scene.end else { return #expect(Bool(false)) }
    }

    @Test("a transformer that neither takes content nor gives any fails, and does not keep a worker for ever")
    func stuck() throws {
        let scene = try RunScene(Sample.pipeline(PipelineStep(Idler())), Self.bytes("abc"))
        scene.start()
        #expect(scene.reason == .failed && scene.text == "")
        guard case .transformation(let failure)? = scene.failure else { return #expect(Bool(false)) }
        #expect(failure.failure.userMessage == "it neither consumes content nor produces any")
    }

    @Test("content that does not come whole makes the run fail with its reason")
    func interrupted() throws {
        let source = RunScene.growing()
        let scene = try RunScene(Self.suffix, .growing(source))
        scene.start()
        source.append(ByteChunk([97]))
        source.fail(ExchangeFailure(.responseIncomplete, "cut"))
        scene.runUntilIdle()
        guard case .interrupted(let failure)? = scene.failure else { return #expect(Bool(false)) }
        #expect(failure.kind == .responseIncomplete)
    }

    @Test("full workers make a run fail that has not begun, and do not stop one that has")
    func overloaded() throws {
        let refused = try RunScene(Self.suffix, Self.bytes("abc"))
        refused.workers.isFull = true
        refused.start()
        guard case .overloaded? = refused.failure else { return #expect(Bool(false)) }
        let begun = try RunScene(Self.upper, .stored(.bytes([UInt8](repeating: 97, count: 4 << 20))), credit: 1 << 30)
        begun.run.start(into: begun.output)
        begun.workers.isFull = true
        begun.runUntilIdle()
        #expect(begun.output.received == 4 << 20 && begun.output.isComplete)
    }

    @Test("a run that waits for its source continues when that has more, though the workers are full")
    func overloadedLater() throws {
        let source = RunScene.growing()
        let scene = try RunScene(Self.upper, .growing(source), credit: 100)
        scene.start()
        source.append(ByteChunk([97]))
        scene.runUntilIdle()
        #expect(scene.text == "A")
        scene.workers.isFull = true
        source.append(ByteChunk([98]))
        source.finish(trailers: nil)
        scene.runUntilIdle()
        #expect(scene.text == "B" && scene.output.isComplete && scene.failure == nil)
    }

    @Test("a cancelled run stops, and does not report its end")
    func cancelled() throws {
        let scene = try RunScene(Self.suffix, Self.bytes("abc"))
        scene.run.start(into: scene.output)
        scene.run.cancel()
        scene.runUntilIdle()
        #expect(scene.run.isCancelled && scene.end == nil && scene.text.isEmpty && scene.workers.submitted == 1)
        guard case .cancelled? = scene.failure else { return #expect(Bool(false)) }
    }

    @Test("a run that takes longer than its limit fails")
    func time() throws {
        var limits = TransformLimits()
        limits.time = .seconds(10)
        let clock = Lock<ManualTimekeeper?>(nil)
        let slow = ScriptedTransformer(
            way: .streaming { byte in
                clock.withLock { $0 }?.advance(by: .seconds(11))
                return [byte]
            }
        )
        let scene = try RunScene(Sample.pipeline(PipelineStep(slow)), .growing(RunScene.growing()), limits: limits)
        clock.withLock { $0 = scene.timekeeper }
        scene.start()
        #expect(scene.failure == nil)
        let source = RunScene.growing()
        source.append(ByteChunk([97]))
        let late = try RunScene(Sample.pipeline(PipelineStep(slow)), .growing(source), limits: limits)
        clock.withLock { $0 = late.timekeeper }
        late.start()
        #expect(late.reason == .limit || late.isChanged)
        source.append(ByteChunk([98]))
        late.runUntilIdle()
        guard case .failure(.transformation(let failure))? = late.end else { return #expect(Bool(false)) }
        #expect(failure.failure.reason == .limit)
    }

    @Test("a coded content is decoded first; without a decoder it cannot be transformed")
    func decoding() throws {
        var decoded = ScriptedTransformer.suffix("!")
        decoded.needsDecodedContent = true
        let decoder = ScriptedTransformer(
            name: "decode",
            way: .streaming { [$0 ^ 1] },
            onHead: { head throws(TransformFailure) in head.fields.remove(.contentEncoding) }
        )
        let fields = [("Content-Encoding", "x"), ("ETag", "\"a\"")]
        let pipeline = Sample.pipeline(PipelineStep(decoded))
        let scene = try RunScene(pipeline, .stored(.bytes([97 ^ 1])), fields: fields, decoder: decoder)
        scene.start()
        #expect(scene.text == "a!")
        let without = try RunScene(pipeline, .stored(.bytes([97])), fields: fields)
        without.start()
        guard case .transformation(let failure)? = without.failure else {
            Issue.record("\(String(describing: without.failure))")
            return
        }
        let reason = TransformFailure(.unsupported, "content codings cannot be removed here")
        #expect(failure == TransformationFailure(stage: "model", transformer: "suffix", failure: reason))
    }

    // MARK: Content that is too large

    private static func limits(_ bytes: Int) -> TransformLimits {
        var limits = TransformLimits()
        limits.wholeContent = bytes
        return limits
    }

    @Test("content that is too large fails, or is let through as it is if the rule says so", arguments: [false, true])
    func oversize(passes: Bool) throws {
        let step = PipelineStep(ScriptedTransformer.suffix("!"), onOversize: passes ? .pass : .fail)
        for (text, isTooLarge) in [("1234", false), ("12345", true)] {
            let scene = try RunScene(Sample.pipeline(step), Self.bytes(text), limits: Self.limits(4))
            scene.start()
            if !isTooLarge {
                #expect(scene.text == "1234!")
            } else if passes {
                guard case .passed(byOutput: false)? = scene.ready else { return #expect(Bool(false)) }
                #expect(scene.text.isEmpty && scene.output.isComplete)
            } else {
                #expect(scene.reason == .limit)
            }
        }
    }

    @Test("content that turns out too large and cannot be read again comes out of the run as it was")
    func oversizeWhileGrowing() throws {
        let step = PipelineStep(ScriptedTransformer.suffix("!"), onOversize: .pass)
        let source = RunScene.growing(isStorable: false)
        let scene = try RunScene(Sample.pipeline(step), .growing(source), limits: Self.limits(4))
        scene.start()
        for text in ["123", "456", "7"] {
            source.append(ByteChunk(Array(text.utf8)))
            scene.runUntilIdle()
        }
        source.finish(trailers: nil)
        scene.runUntilIdle()
        guard case .passed(byOutput: true)? = scene.ready else { return #expect(Bool(false)) }
        #expect(scene.text == "1234567" && scene.output.isComplete)
    }

    // MARK: Memory

    @Test("a run that finds no memory waits, begins when another ends, and gives up after its working time (H-131)")
    func memory() throws {
        let scene = try RunScene(Self.suffix, Self.bytes("abc"), memory: 30)
        var other = scene.memory.share(for: 10) {}
        scene.start()
        #expect(other != nil && scene.ready == nil)
        other = nil
        scene.runUntilIdle()
        #expect(scene.text == "abc!" && scene.memory.used == 0)

        let late = try RunScene(Self.suffix, Self.bytes("abc"), memory: 30)
        let stays = late.memory.share(for: 10) {}
        late.start()
        late.timekeeper.advance(by: .seconds(10))
        late.runUntilIdle()
        guard case .outOfMemory? = late.failure else { return #expect(Bool(false)) }
        #expect(late.memory.refused == 1 && stays != nil)
    }

    @Test("a transformer that streams waits for no memory")
    func streamingNeedsNoMemory() throws {
        let scene = try RunScene(Self.upper, Self.bytes("abc"), memory: 30)
        let other = scene.memory.share(for: 10) {}
        scene.start()
        #expect(scene.text == "ABC" && other != nil)
    }

    // MARK: Runs that are not needed

    @Test("a run that is abandoned before it began never works")
    func abandoned() throws {
        let suffix = ScriptedTransformer.suffix("!")
        let scene = try RunScene(Sample.pipeline(PipelineStep(suffix)), Self.bytes("abc"))
        scene.run.abandon()
        scene.start()
        #expect(suffix.counts.begun == 0 && scene.ready == nil)
    }

    @Test("a run that is failed before it began reports that")
    func failedBefore() throws {
        let scene = try RunScene(Self.suffix, Self.bytes("abc"))
        scene.run.fail(.overloaded, scene.output)
        guard case .overloaded? = scene.failure else { return #expect(Bool(false)) }
        guard case .failure(.overloaded)? = scene.end else { return #expect(Bool(false)) }
    }
}

/// Takes nothing and gives nothing in its first thousand calls.
private struct Idler: StreamingTransformer {
    private final class Filter: ContentFilter {
        private var calls = 0

        var needsWholeContent: Bool { false }

        func transform(
            _ input: Span<UInt8>,
            into output: inout [UInt8],
            room: Int
        ) throws(TransformFailure) -> TransformProgress {
            calls += 1
            return TransformProgress(consumed: calls > 1000 ? input.count : 0)
        }

        func finish(into output: inout [UInt8], room: Int) throws(TransformFailure) -> Bool { false }
    }

    var name: String { "idler" }
    var fingerprint: String { "" }

    func begin(
        _ head: inout EntityHead,
        _ context: TransformContext
    ) throws(TransformFailure) -> (any ContentFilter)? { Filter() }
}
