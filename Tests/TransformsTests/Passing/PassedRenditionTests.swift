import HTTPCore
import Locking
import TestDoubles
import Testing

@testable import Transforms

/// Transformed responses that bypass the cache.
@Suite struct PassedRenditionTests {
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
        let rendition = PassedRendition(
            try #require(Sample.rendition(Sample.pipeline(PipelineStep(transformer)))),
            for: Fields(),
            limits: GrowingBody.Limits(),
            environment: TransformEnvironment(
                workers: workers,
                memory: TransformMemory(limit: .max),
                decoder: nil,
                timekeeper: ManualTimekeeper()
            )
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
}
