import HTTPCore
import TestDoubles
import Testing

@testable import Transforms

@Suite("Pipeline steps") struct PipelineStepTests {
    private static let suffix = ScriptedTransformer.suffix("!")

    @Test(
        "without statuses a step covers successes, a redaction everything",
        arguments: [199, 200, 299, 300, 404, 599] as [UInt16]
    )
    func statuses(status: UInt16) {
        #expect(PipelineStep(Self.suffix).applies(toStatus: status) == (200...299 ~= status))
        #expect(PipelineStep(Self.suffix.redacting, statuses: [200...200]).applies(toStatus: status))
        let chosen = PipelineStep(Self.suffix, statuses: [200...200, 404...599])
        #expect(chosen.applies(toStatus: status) == (status == 200 || status >= 404))
    }

    @Test("without methods a step covers all; HEAD goes with GET")
    func methods() {
        #expect(PipelineStep(Self.suffix).applies(to: .post))
        let get = PipelineStep(Self.suffix, methods: [.get])
        #expect(get.applies(to: .get) && get.applies(to: .head) && !get.applies(to: .post))
    }

    @Test("with content types a step covers those only, and no content without a type")
    func types() throws {
        let text = try #require(MediaTypePattern("text/*"))
        let step = PipelineStep(Self.suffix, contentTypes: [text])
        let plain = MediaType(Array("text/plain".utf8).span)
        let image = MediaType(Array("image/png".utf8).span)
        #expect(plain != nil && image != nil)
        #expect(step.applies(to: plain) && !step.applies(to: image) && !step.applies(to: nil as MediaType?))
        #expect(PipelineStep(Self.suffix).applies(to: nil as MediaType?))
    }

    @Test("a redaction is always forced, and never lets through what is too large")
    func redaction() {
        let step = PipelineStep(Self.suffix.redacting, isForced: false, onOversize: .pass)
        #expect(step.isForced && step.onOversize == .fail && step.statuses.isEmpty)
        #expect(!PipelineStep(Self.suffix).isForced)
    }
}
