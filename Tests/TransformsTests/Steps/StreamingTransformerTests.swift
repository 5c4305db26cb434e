import HTTPCore
import Testing

@testable import Transforms

/// A transformer that states only what it must.
private struct Plain: StreamingTransformer {
    var name: String { "plain" }
    var fingerprint: String { "" }

    func begin(
        _ head: inout EntityHead,
        _ context: TransformContext
    ) throws(TransformFailure) -> (any ContentFilter)? { nil }
}

@Suite("Streaming transformers") struct StreamingTransformerTests {
    @Test("unless it says otherwise, a transformer takes any coding, hides nothing and may depend on the request")
    func defaults() {
        let plain = Plain()
        #expect(!plain.needsDecodedContent && !plain.isRedaction && plain.dependsOnRequest)
        #expect(plain.variation(for: Sample.fields([("Accept-Encoding", "br")])).isEmpty)
        #expect(TransformProgress(consumed: 3) == TransformProgress(consumed: 3, hasMore: false))
    }
}
