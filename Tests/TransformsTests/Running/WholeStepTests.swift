import HTTPCore
import TestDoubles
import Testing

@testable import Transforms

@Suite("Steps over whole contents") struct WholeStepTests {
    private func step(
        _ transformer: ScriptedTransformer,
        limit: Int = 4,
        onOversize: PipelineStep.Oversize = .fail,
        decoder: (any StreamingTransformer)? = nil
    ) -> WholeStep {
        var limits = TransformLimits()
        limits.wholeContent = limit
        return WholeStep(
            PipelineStep(transformer, onOversize: onOversize),
            stage: "model",
            TransformContext(uri: Sample.uri, request: Fields(), limits: limits, budget: TransformBudget()),
            decoder: decoder
        )
    }

    private func head(_ lines: [(String, String)] = []) -> EntityHead {
        EntityHead(status: 200, fields: Sample.fields(lines))
    }

    @Test("the content is changed; length and digests of the old one go")
    func change() throws {
        let given = head([("Content-Length", "3"), ("Digest", "x"), ("X-A", "1")])
        let result = try #require(try step(.suffix("!")).change(given, Array("abc".utf8), hasContent: true))
        #expect(result.content == Array("abc!".utf8))
        #expect(result.head.fields.text(named: "X-A") == "1" && result.head.fields.lines.count == 1)
    }

    @Test("a step that changes the head alone, or meets no content, leaves the content alone")
    func headAlone() throws {
        let lines = [("Content-Length", "3")]
        let result = try step(ScriptedTransformer(way: .headOnly)).change(head(lines), [97], hasContent: true)
        #expect(result != nil && result?.content == nil && result?.head == head(lines))
        let none = try step(.suffix("!")).change(head(lines), [], hasContent: false)
        #expect(none != nil && none?.content == nil)
    }

    @Test("content beyond the limit fails, or stays as it is if the rule says so")
    func limit() throws {
        let five = [UInt8](repeating: 97, count: 5)
        let failure = #expect(throws: TransformationFailure.self) {
            _ = try step(.suffix("!")).change(head(), five, hasContent: true)
        }
        #expect(failure?.failure.reason == .limit && failure?.stage == "model")
        #expect(try step(.suffix("!"), onOversize: .pass).change(head(), five, hasContent: true) == nil)
        #expect(try step(.upper).change(head(), five, hasContent: true)?.content?.count == 5)
    }

    @Test("codings are taken off first where the transformer needs that")
    func decoding() throws {
        var decoded = ScriptedTransformer.suffix("!")
        decoded.needsDecodedContent = true
        let decoder = ScriptedTransformer(name: "decode", way: .streaming { [$0 ^ 1] })
        let coded = head([("Content-Encoding", "x")])
        let result = try step(decoded, decoder: decoder).change(coded, [97 ^ 1], hasContent: true)
        #expect(result?.content == Array("a!".utf8))
        let failure = #expect(throws: TransformationFailure.self) {
            _ = try step(decoded).change(coded, [97], hasContent: true)
        }
        let reason = TransformFailure(.unsupported, "content codings cannot be removed here")
        #expect(failure == TransformationFailure(stage: "model", transformer: "suffix", failure: reason))
        #expect(try step(decoded, decoder: decoder).change(head(), [97], hasContent: true)?.content == Array("a!".utf8))
    }

    @Test("only the time in which the step works counts")
    func time() throws {
        let clock = ManualTimekeeper()
        let budget = TransformBudget(limit: .seconds(1)) { clock.now }
        let step = WholeStep(
            PipelineStep(ScriptedTransformer.suffix("!")),
            stage: "model",
            TransformContext(uri: Sample.uri, request: Fields(), limits: TransformLimits(), budget: budget),
            decoder: nil
        )
        #expect(try step.change(head(), [97], hasContent: true)?.content == Array("a!".utf8))
        clock.advance(by: .seconds(5))
        #expect(throws: Never.self) { try budget.check() }
    }

    @Test("a step that works longer than it may fails")
    func tooSlow() {
        let clock = ManualTimekeeper()
        let slow = ScriptedTransformer(
            way: .streaming { byte in
                clock.advance(by: .seconds(2))
                return [byte]
            }
        )
        let step = WholeStep(
            PipelineStep(slow),
            stage: "model",
            TransformContext(
                uri: Sample.uri,
                request: Fields(),
                limits: TransformLimits(),
                budget: TransformBudget(limit: .seconds(1)) { clock.now }
            ),
            decoder: nil
        )
        let failure = #expect(throws: TransformationFailure.self) {
            _ = try step.change(head(), [97], hasContent: true)
        }
        #expect(failure?.failure.reason == .limit && failure?.stage == "model" && failure?.transformer == "scripted")
    }

    @Test("content that decoding makes too large fails, or stays as it is if the rule says so")
    func decodedLimit() throws {
        var decoded = ScriptedTransformer.suffix("!")
        decoded.needsDecodedContent = true
        let decoder = ScriptedTransformer(name: "decode", way: .streaming { [$0, $0] })
        let coded = head([("Content-Encoding", "x")])
        let failing = step(decoded, decoder: decoder)
        #expect(try failing.change(coded, [97, 98], hasContent: true)?.content == Array("aabb!".utf8))
        let failure = #expect(throws: TransformationFailure.self) {
            _ = try failing.change(coded, [97, 98, 99], hasContent: true)
        }
        #expect(failure?.failure.reason == .limit && failure?.transformer == "suffix")
        let passing = step(decoded, onOversize: .pass, decoder: decoder)
        #expect(try passing.change(coded, [97, 98, 99], hasContent: true) == nil)
    }
}
