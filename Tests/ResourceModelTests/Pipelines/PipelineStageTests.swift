import HTTPCore
import Testing
import Transforms
import TestDoubles

@testable import ResourceCore
@testable import ResourceModel

/// Stages, their order, and what is in them.
@Suite("Pipeline stages") struct PipelineStageTests {
    private static let tags: [(PipelineStageKey, String)] = [
        (.cleanup, "cle"), (.decoding, "dec"), (.model, "mod"), (.parsing, "par"),
    ]

    /// Each stage but rawData appends its tag.
    private static func tagging(_ change: (inout Pipeline) -> Void = { _ in }) -> TransformedLoad {
        TransformedLoad([]) { pipeline in
            for (stage, tag) in tags { pipeline[stage].add(FullTransformer.suffix(tag)) }
            change(&pipeline)
        }
    }

    @Test("stages run in the standard order, however they were filled (T-118, S-166)")
    func standardOrder() { #expect(Self.tagging()("-").text == "-decparmodcle") }

    @Test("transformers move with their stage when the order changes (T-119, S-167)")
    func otherOrder() {
        let load = Self.tagging { $0.order = [.rawData, .parsing, .cleanup, .model, .decoding] }
        #expect(load("-").text == "-parclemoddec")
    }

    @Test("stages of a program's own run where they stand; an empty one is harmless (T-120, S-167, S-168)")
    func ownStages() {
        let own = PipelineStageKey("own")
        let empty = PipelineStageKey("own")
        #expect(own != empty && own == own && PipelineStageKey.model != PipelineStageKey("model"))
        let load = Self.tagging {
            $0.order.insert(contentsOf: [own, empty], at: 3)
            $0[own].add(FullTransformer.suffix("own"))
        }
        #expect(load("-").text == "-decparownmodcle")
        #expect(load.pipeline[empty].isEmpty)
    }

    @Test("a stage that is not listed does not run, nor does its cache (S-167)")
    func unlisted() {
        let load = Self.tagging {
            $0.order = [.model]
            $0[.parsing].cacheUsing(RecordingCache())
        }
        let (response, outputs) = load.run(Array("-".utf8))
        #expect(response.text == "-mod" && outputs.isEmpty)
        #expect(Set(load.pipeline.unlisted) == [.decoding, .parsing, .cleanup])
    }

    @Test("transformers of one stage run in the order added (T-121, S-165)")
    func withinStage() {
        let load = Self.tagging { pipeline in
            for tag in ["1", "2", "3"] { pipeline[.decoding].add(FullTransformer.suffix(tag)) }
        }
        #expect(load("-").text == "-dec123parmodcle")
    }

    @Test("after clearing, bytes come as they are (T-122, S-169)")
    func cleared() {
        var load = Self.tagging { $0.add(.text) }
        load.pipeline.clear()
        #expect(load("abc", "text/plain").content as? [UInt8] == Array("abc".utf8))
    }

    @Test("transformers and caches can be taken away apart, of one stage and of all (S-169)")
    func takingAway() {
        var load = Self.tagging {
            $0[.model].cacheUsing(RecordingCache())
            $0[.cleanup].cacheUsing(RecordingCache())
        }
        load.pipeline[.model].removeTransformers()
        #expect(load.run([]).response.text == "decparcle" && load.run([]).outputs.count == 2)
        load.pipeline[.model].doNotCache()
        #expect(load.run([]).outputs.map(\.stage) == [.cleanup])
        load.pipeline.removeAllTransformers()
        #expect(load.run([]).outputs.count == 1)
        load.pipeline.removeAllCaches()
        #expect(load.run([]).outputs.isEmpty)
        load.pipeline[.model].cacheUsing(RecordingCache())
        #expect(load.run([]).outputs.count == 1)
        load.pipeline.clear()
        #expect(load.run([]).outputs.isEmpty)
    }

    @Test("caching stages are given what they put out; of a failure nothing is kept (S-170, S-190)")
    func outputs() {
        let load = Self.tagging {
            $0[.rawData].cacheUsing(RecordingCache())
            $0[.parsing].cacheUsing(RecordingCache())
            $0[.cleanup].add(FullTransformer { $0.text.hasPrefix("bad") ? .failure(RequestError()) : $0 })
        }
        let outputs = load.run(Array("-".utf8)).outputs
        #expect(outputs.map(\.stage) == [.rawData, .parsing])
        #expect(outputs[0].entity.content as? [UInt8] == Array("-".utf8) && outputs[1].entity.text == "-decpar")
        #expect(load.run(Array("bad".utf8)).outputs.isEmpty)
        #expect(load.run([], status: 500).outputs.isEmpty)
    }

    // MARK: Streaming steps

    @Test("streaming steps run over the whole content among transformers, in the order added")
    func steps() {
        let load = TransformedLoad {
            $0[.rawData].add(PipelineStep(ScriptedTransformer.suffix("1")))
            $0[.parsing].add(FullTransformer.suffix("3"))
            $0[.decoding].add(PipelineStep(ScriptedTransformer.suffix("2")))
        }
        #expect(load("-", "text/plain", [("Content-Length", "1"), ("ETag", "\"a\"")]).text == "-123")
        // The origin's validator is what the next load is about.
        let entity = load("-", "text/plain", [("Content-Length", "1"), ("ETag", "\"a\"")]).entity
        #expect(entity?.etag == "\"a\"" && entity?.header(forKey: "content-length") == nil)
    }

    @Test("streaming steps keep their conditions: method, status, type and no-transform")
    func stepConditions() {
        let suffix = ScriptedTransformer.suffix("!")
        func text(_ step: PipelineStep, _ status: UInt16 = 200, _ lines: [(String, String)] = []) -> String {
            let response = TransformedLoad { $0[.rawData].add(step) }("a", "text/plain", status: status, lines)
            return response.entity?.text ?? ""
        }
        #expect(text(PipelineStep(suffix)) == "a!")
        #expect(text(PipelineStep(suffix, contentTypes: [MediaTypePattern("image/*")].compactMap { $0 })) == "a")
        #expect(text(PipelineStep(suffix), 404) == "a")
        #expect(text(PipelineStep(suffix, statuses: [400...499]), 404) == "a!")
        #expect(text(PipelineStep(suffix, methods: [.put])) == "a")
        #expect(text(PipelineStep(suffix), 200, [("Cache-Control", "no-transform")]) == "a")
        #expect(text(PipelineStep(suffix, isForced: true), 200, [("Cache-Control", "no-transform")]) == "a!")
        #expect(text(PipelineStep(suffix), 206) == "a")
    }

    @Test("what cannot have content, by its method, status or provider, has none for the pipeline (S-252)")
    func bodiless() {
        let statuses = ([100, 199, 200, 203, 204, 205, 206, 303, 304, 305, 404] as [UInt16]).filter {
            TransformedLoad().context($0).isBodiless
        }
        #expect(statuses == [100, 199, 204, 205, 304])
        #expect(TransformedLoad().context(200, hasContent: false).isBodiless)
        var head = TransformedLoad()
        head.method = .head
        let context = head.context(200)
        #expect(context.isBodiless)
        // Of what is cached the content decides.
        func isBodiless(_ content: any Sendable) -> Bool {
            context.forEntity(Entity(content: content, headers: [:])).isBodiless
        }
        #expect(isBodiless([UInt8]()) && !isBodiless([1] as [UInt8]) && !isBodiless("") && !isBodiless(7))
    }

    @Test("a part is not redacted but fails, though the redaction itself would not")
    func redactedPart() {
        var redaction = ScriptedTransformer.suffix("!")
        redaction.isRedaction = true
        let load = TransformedLoad([]) { $0[.rawData].add(PipelineStep(redaction)) }
        #expect(load("a").isSuccess && !load("a", status: 206).isSuccess && load("a", status: 207).isSuccess)
        let message = "the transformer \"suffix\" of stage \"rawData\" failed: a part of a response cannot be redacted"
        #expect(load("a", status: 206).error?.userMessage == message)
    }

    @Test("a streaming step that fails makes the load fail; an error keeps its content unless it was to be hidden")
    func stepFailures() {
        var failing = ScriptedTransformer(
            way: .whole { _ throws(TransformFailure) in
                throw TransformFailure(.invalidContent, "no")
            }
        )
        let step = PipelineStep(failing, statuses: [200...599])
        let load = TransformedLoad([]) { $0[.rawData].add(step) }
        #expect((load("a").error?.cause as? TransformationFailure)?.stage == "rawData")
        #expect(load("a", status: 500).error?.entity?.content as? [UInt8] == [0x61])
        failing.isRedaction = true
        let hiding = TransformedLoad([]) { $0[.rawData].add(PipelineStep(failing)) }
        #expect(hiding("a", status: 500).error?.entity == nil && hiding("a", status: 500).error?.httpStatusCode == 500)
        #expect(!hiding("a", status: 206).isSuccess)
    }

    @Test("a streaming step behind a transformer that made a value fails, naming both types")
    func stepOnValue() throws {
        let load = TransformedLoad { $0[.cleanup].add(PipelineStep(ScriptedTransformer.suffix("!"))) }
        let cause = try #require(
            load("{}", "application/json").error?.cause as? RequestError.Cause.WrongInputTypeInTranformerPipeline
        )
        #expect(cause.expectedType == [UInt8].self && cause.actualType == [String: any Sendable].self)
    }

    @Test("a streaming step keeps its limits: size, with the original let through if the rule says so")
    func stepLimits() {
        var load = TransformedLoad([]) { $0[.rawData].add(PipelineStep(ScriptedTransformer.suffix("!"))) }
        load.limits.wholeContent = 4
        #expect((load("12345").error?.cause as? TransformationFailure)?.failure.reason == .limit)
        load.pipeline[.rawData].removeTransformers()
        load.pipeline[.rawData].add(PipelineStep(ScriptedTransformer.suffix("!"), onOversize: .pass))
        #expect(load("12345").content as? [UInt8] == Array("12345".utf8))
        #expect(load("1234").content as? [UInt8] == Array("1234!".utf8))
    }

    @Test("values do not change the fingerprint of what clients of the proxy get")
    func fingerprint() {
        var pipeline = Pipeline()
        pipeline.add(PipelineStep(ScriptedTransformer.suffix("!")), to: .model)
        let before = pipeline.fingerprint
        pipeline.add(.json)
        pipeline[.model].cacheUsing(RecordingCache())
        #expect(pipeline.fingerprint == before)
        #expect(!pipeline.isEmpty && TransformedLoad().pipeline.isEmpty)
    }
}
