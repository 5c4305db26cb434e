import HTTPCore
import Locking
import TestDoubles
import Testing

@testable import Transforms

/// Transformed responses that bypass the cache.
@Suite struct PassedRenditionTests {
    private static func passed(
        _ rendition: RequestedRendition,
        for request: Fields,
        _ workers: ScriptedWorkers = ScriptedWorkers()
    ) -> PassedRendition {
        PassedRendition(
            rendition,
            for: request,
            limits: GrowingBody.Limits(),
            environment: TransformEnvironment(
                workers: workers,
                memory: TransformMemory(limit: .max),
                decoder: nil,
                timekeeper: ManualTimekeeper()
            )
        )
    }

    @Test(
        "content that is announced as empty runs through no transformer, other content does (T-260)",
        arguments: ["", "ab"]
    )
    func empty(text: String) throws {
        let transformer = ScriptedTransformer(
            way: .whole { bytes throws(TransformFailure) in
                if bytes.isEmpty { throw TransformFailure(.invalidContent, "empty") }
                return bytes + [0x21]
            }
        )
        let workers = ScriptedWorkers()
        let rendition = Self.passed(
            try #require(Sample.rendition(Sample.pipeline(PipelineStep(transformer)))),
            for: Fields(),
            workers
        )
        var head = ResponseHead(
            status: 200,
            fields: Sample.fields([("Content-Type", "text/plain")]),
            framing: .length(Int64(text.utf8.count))
        )
        head.contentLength = Int64(text.utf8.count)
        let heads = Lock<[PassedHead]>([])
        let begun = rendition.begin(
            head,
            forbidsTransforming: false,
            hasContent: true,
            credit: 1 << 20,
            grant: { _ in },
            completion: { head in heads.withLock { $0.append(head) } }
        )
        let content = try #require(begun)
        if !text.isEmpty { content.append(ByteChunk(Array(text.utf8))) }
        content.finish(trailers: nil)
        while workers.run() {}
        let found = heads.withLock { $0 }
        #expect(found.count == 1)
        guard case .response(status: 200, _, let length, _)? = found.first else {
            Issue.record("\(found)")
            return
        }
        if !text.isEmpty { #expect(length == 3) }
        #expect(transformer.counts.finished == (text.isEmpty ? 0 : 1))
    }

    @Test("a 304 gets the client's tag of the rendition; if the client has none of it, the origin's tag stays")
    func notModified() throws {
        let steps = Sample.pipeline(PipelineStep(ScriptedTransformer.suffix("!")))
        let rendition = try #require(Sample.rendition(steps))
        let known = try #require(Sample.text(DerivedTag.tag(try Sample.tag("\"a\""), rendition.key)))
        let other = try #require(Sample.text(DerivedTag.tag(try Sample.tag("\"b\""), rendition.key)))
        let fields = Sample.fields([("ETag", "\"a\""), ("Last-Modified", "x")])
        func answer(to tags: String) -> Fields {
            Self.passed(rendition, for: Sample.fields([("If-None-Match", tags)])).notModified(fields)
        }
        let found = answer(to: "\"foreign\", \(other), \(known)")
        #expect(found.text(named: "ETag") == known && found.text(named: "Last-Modified") == nil)
        #expect(answer(to: "\"foreign\", \(other)") == fields)
        // Tags of a 304 are compared weakly, and it may have none.
        let passed = Self.passed(rendition, for: Sample.fields([("If-None-Match", known)]))
        #expect(passed.notModified(Sample.fields([("ETag", "W/\"a\"")])).text(named: "ETag") == known)
        let untagged = Sample.fields([("Last-Modified", "x")])
        #expect(passed.notModified(untagged) == untagged)
    }
}
