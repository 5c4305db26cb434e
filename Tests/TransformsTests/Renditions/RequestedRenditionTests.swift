import HTTPCore
import TestDoubles
import Testing

@testable import Transforms

@Suite("Requested renditions") struct RequestedRenditionTests {
    private static let suffix = ScriptedTransformer.suffix("!")
    private static let varying = ScriptedTransformer(name: "varying", way: .headOnly, varies: .acceptEncoding)

    @Test("a request that no step concerns has no rendition")
    func none() {
        #expect(Sample.rendition(Pipeline()) == nil)
        #expect(Sample.rendition(Sample.pipeline(PipelineStep(Self.suffix, methods: [.post]))) == nil)
        #expect(Sample.rendition(Sample.pipeline(PipelineStep(Self.suffix))) != nil)
    }

    @Test("no-transform leaves only forced steps, and makes a rendition of its own where it leaves any out")
    func noTransform() throws {
        let plain = PipelineStep(Self.suffix)
        let forced = PipelineStep(ScriptedTransformer.upper, isForced: true)
        #expect(Sample.rendition(Sample.pipeline(plain), forbidsTransforming: true) == nil)
        let both = Sample.pipeline(plain, forced)
        let asked = try #require(Sample.rendition(both, forbidsTransforming: true))
        #expect(asked.steps.map(\.step.transformer.name) == ["upper"])
        #expect(asked.key != Sample.rendition(both)?.key)
        let all = Sample.pipeline(forced)
        #expect(Sample.rendition(all, forbidsTransforming: true)?.key == Sample.rendition(all)?.key)
    }

    @Test("the key contains what transformers depend on, and which transformer does")
    func variation() throws {
        func key(_ pipeline: Pipeline, _ value: String?) throws -> RenditionKey {
            try #require(Sample.rendition(pipeline, value.map { [("Accept-Encoding", $0)] } ?? [])).key
        }
        let one = Sample.pipeline(PipelineStep(Self.varying))
        #expect(try key(one, nil).variation.isEmpty)
        #expect(try key(one, "gzip") != key(one, "br") && key(one, "gzip") == key(one, "gzip"))
        var other = Self.varying
        other.varies = .acceptLanguage
        let two = Sample.pipeline(PipelineStep(Self.varying), PipelineStep(other))
        let first = try #require(Sample.rendition(two, [("Accept-Encoding", "a")])).key
        let second = try #require(Sample.rendition(two, [("Accept-Language", "a")])).key
        #expect(first != second && first.fingerprint == second.fingerprint)
    }

    @Test("content that is stored redacted has a mark of the redacting steps and what they depend on")
    func mark() throws {
        func mark(_ pipeline: Pipeline, _ lines: [(String, String)] = []) throws -> [UInt8] {
            try #require(Sample.rendition(pipeline, lines)).mark
        }
        let redacting = PipelineStep(Self.varying.redacting)
        #expect(try mark(Sample.pipeline(PipelineStep(Self.varying))).isEmpty)
        #expect(try mark(Sample.pipeline(PipelineStep(Self.varying.redacting, keepsOriginal: true))).isEmpty)
        let alone = try mark(Sample.pipeline(redacting))
        #expect(!alone.isEmpty)
        // Steps after the redaction do not count.
        #expect(try mark(Sample.pipeline(redacting, PipelineStep(Self.suffix))) == alone)
        #expect(try mark(Sample.pipeline(PipelineStep(Self.suffix), redacting)) != alone)
        #expect(try mark(Sample.pipeline(redacting), [("Accept-Encoding", "br")]) != alone)
    }

    @Test("transformers see the Host of the gateway and the scheme that was used, never what a client claims")
    func gateway() throws {
        let pipeline = Sample.pipeline(PipelineStep(Self.suffix))
        let lines = [("Host", "claimed.example"), ("X-Forwarded-Proto", "https")]
        func seen(host: String?, isSecure: Bool) throws -> [String?] {
            let rendition = Sample.rendition(pipeline, lines, gatewayHost: host, gatewayIsSecure: isSecure)
            let request = try #require(rendition).request
            return [request.text(of: .host), request.text(named: "X-Forwarded-Proto")]
        }
        #expect(try seen(host: "here.example", isSecure: false) == ["here.example", nil])
        #expect(try seen(host: "here.example", isSecure: true) == ["here.example", "https"])
        #expect(try seen(host: nil, isSecure: true) == ["claimed.example", "https"])
    }

    // MARK: The plan for one response

    @Test("a response is planned for if a step covers its status and type, unless it forbids transforming")
    func plan() throws {
        let text = try #require(MediaTypePattern("text/*"))
        let rendition = try #require(Sample.rendition(Sample.pipeline(PipelineStep(Self.suffix, contentTypes: [text]))))
        #expect(rendition.plan() != nil)
        #expect(rendition.plan(404) == nil && rendition.plan(type: "image/png") == nil)
        #expect(rendition.plan(forbidsTransforming: true) == nil)
        let forced = Sample.rendition(Sample.pipeline(PipelineStep(Self.suffix, isForced: true)))
        #expect(forced?.plan(forbidsTransforming: true) != nil)
    }

    @Test("a 206 is planned for only if it would have to be redacted, and then it fails")
    func partial() throws {
        #expect(Sample.rendition(Sample.pipeline(PipelineStep(Self.suffix)))?.plan(206) == nil)
        let hiding = Sample.pipeline(
            PipelineStep(ScriptedTransformer.upper),
            PipelineStep(Self.suffix.redacting),
            PipelineStep(ScriptedTransformer.upper.redacting)
        )
        let plan = try #require(Sample.rendition(hiding)?.plan(206))
        let head = EntityHead(status: 206, fields: Fields())
        let failure = #expect(throws: TransformationFailure.self) {
            _ = try plan.begin(head, part: .whole, hasContent: true, budget: TransformBudget(), decoder: nil)
        }
        // The first redaction is named.
        let reason = TransformFailure(.unsupported, "a part of a response cannot be redacted")
        #expect(failure == TransformationFailure(stage: "model", transformer: "suffix", failure: reason))
    }

    @Test("a plan tells whether it redacts, and whether it does so before anything is stored")
    func redacts() {
        func plan(_ step: PipelineStep) -> PipelinePlan? { Sample.rendition(Sample.pipeline(step))?.plan() }
        let plain = plan(PipelineStep(Self.suffix))
        #expect(plain?.redacts == false && plain?.redactsBeforeStore == false)
        let hiding = plan(PipelineStep(Self.suffix.redacting))
        #expect(hiding?.redacts == true && hiding?.redactsBeforeStore == true)
        let keeping = plan(PipelineStep(Self.suffix.redacting, keepsOriginal: true))
        #expect(keeping?.redacts == true && keeping?.redactsBeforeStore == false)
    }

    // MARK: What goes to the origin

    @Test("ranges do not go to the origin, and only codings that can be taken off are accepted")
    func upstream() throws {
        let lines = [("Range", "bytes=0-1"), ("If-Range", "\"a\""), ("Accept-Encoding", "x"), ("X-A", "1")]
        func sent(_ transformer: ScriptedTransformer, hasDecoder: Bool) throws -> Fields {
            let pipeline = Sample.pipeline(PipelineStep(transformer))
            let rendition = try #require(Sample.rendition(pipeline, lines, hasDecoder: hasDecoder))
            return rendition.upstream(Sample.fields(lines))
        }
        var decoded = Self.suffix
        decoded.needsDecodedContent = true
        let plain = try sent(Self.suffix, hasDecoder: true)
        #expect(!plain.contains(.range) && !plain.contains(.ifRange) && plain.text(named: "X-A") == "1")
        #expect(plain.text(of: .acceptEncoding) == "x")
        #expect(try sent(decoded, hasDecoder: true).text(of: .acceptEncoding) == "gzip, deflate, br, zstd")
        #expect(try sent(decoded, hasDecoder: false).text(of: .acceptEncoding) == "identity")
    }

    @Test("conditions that pass the cache carry the origin's tags again; other tags and * stay")
    func passing() throws {
        let rendition = try #require(Sample.rendition(Sample.pipeline(PipelineStep(Self.suffix))))
        let mine = try #require(Sample.text(DerivedTag.tag(try Sample.tag("\"a\""), rendition.key)))
        func sent(_ name: String, _ value: String) -> String? {
            rendition.passing(Sample.fields([(name, value)])).text(named: name)
        }
        #expect(sent("If-None-Match", mine) == "\"a\"")
        #expect(sent("If-Match", "\(mine), \"b\"") == "\"a\", \"b\"")
        #expect(sent("If-None-Match", "\"b\" , \"c\"") == "\"b\" , \"c\"")
        #expect(sent("If-Match", "*") == "*")
    }
}
