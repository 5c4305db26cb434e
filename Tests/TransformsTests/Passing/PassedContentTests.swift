import Exchanges
import HTTPCore
import TestDoubles
import Testing

@testable import Transforms

/// The content of transformed responses that bypass the cache.
@Suite("Content that bypasses the cache") struct PassedContentTests {
    /// One response on its way, and what clients got of it.
    private final class Scene: Sendable {
        let workers = ScriptedWorkers()
        let heads = LockedBox<[PassedHead]>([])
        let grants = LockedBox(0)
        let content: PassedContent
        private let reader = LockedBox<BodyReader?>(nil)

        init(
            _ step: PipelineStep,
            length: Int64? = nil,
            hasContent: Bool = true,
            limits: TransformLimits = TransformLimits()
        ) throws {
            let rendition = PassedRendition(
                try #require(Sample.rendition(Sample.pipeline(step), limits: limits)),
                for: Fields(),
                limits: GrowingBody.Limits(),
                environment: TransformEnvironment(
                    workers: workers,
                    memory: TransformMemory(),
                    decoder: nil,
                    timekeeper: ManualTimekeeper()
                )
            )
            let fields = Sample.fields([("Content-Type", "text/plain"), ("ETag", "\"a\"")])
            var head = ResponseHead(status: 203, fields: fields, framing: .chunked)
            head.contentLength = length
            let (heads, grants) = (heads, grants)
            let begun = rendition.begin(
                head,
                forbidsTransforming: false,
                hasContent: hasContent,
                credit: GrowingBody.Limits().ahead,
                grant: { bytes in grants.change { $0 += bytes } },
                completion: { head in heads.change { $0.append(head) } }
            )
            content = try #require(begun)
            workers.run()
        }

        func append(_ text: String) {
            content.append(ByteChunk(text))
            workers.run()
        }

        func finish() {
            content.finish(trailers: nil)
            workers.run()
        }

        /// Status, tag and length of the only head.
        var head: String {
            guard heads.value.count == 1, case .response(let status, let fields, let length, let body) = heads.value[0]
            else { return "no head" }
            let place = body.map { $0.isShared ? ", shared" : ", content" } ?? ""
            return "\(status) \(fields.text(of: .etag) ?? "") \(length.map { "\($0)" } ?? "unknown")\(place)"
        }

        var failure: RunFailure? {
            if heads.value.count == 1, case .failure(let failure) = heads.value[0] { failure } else { nil }
        }

        /// Reads all that has come, and what comes when there is room for more.
        func read() -> (text: String, end: BodyPiece?) {
            if reader.value == nil, case .response(_, _, _, let body?)? = heads.value.first {
                reader.change { $0 = body.addReader(context: ManualContext(), wake: {}) }
            }
            var bytes: [UInt8] = []
            while true {
                let piece = reader.value?.read(maximum: 1 << 16)
                if case .chunks(let chunks)? = piece {
                    bytes += chunks.flatMap(\.bytes)
                } else if !workers.run() {
                    return (String(decoding: bytes, as: UTF8.self), piece)
                }
            }
        }

        var text: String { read().text }
    }

    private static let suffix = ScriptedTransformer.suffix("!")
    private static let headOnly = ScriptedTransformer(way: .headOnly)

    /// The tag of the rendition by `transformer`.
    private static func tag(_ transformer: ScriptedTransformer) throws -> String {
        let rendition = try #require(Sample.rendition(Sample.pipeline(PipelineStep(transformer))))
        return try #require(Sample.text(DerivedTag.tag(try Sample.tag("\"a\""), rendition.key)))
    }

    @Test("changed content has the rendition's tag and its own length; it serves one client")
    func changed() throws {
        let scene = try Scene(PipelineStep(Self.suffix), length: 2)
        scene.append("ab")
        #expect(scene.heads.value.isEmpty)
        scene.finish()
        #expect(try scene.head == "203 \(Self.tag(Self.suffix)) 3, content")
        #expect(scene.text == "ab!")
    }

    @Test("content that stays as it is keeps its length, and comes as it came")
    func unchanged() throws {
        let scene = try Scene(PipelineStep(Self.headOnly), length: 4)
        #expect(try scene.head == "203 \(Self.tag(Self.headOnly)) 4, content")
        scene.append("ab")
        #expect(scene.text == "ab")
        scene.append("cd")
        scene.finish()
        let (text, end) = scene.read()
        guard text == "cd", case .end? = end else { return #expect(Bool(false), "\(text)") }
    }

    @Test("a response without content has a head only; its length is known if the content stays as it is")
    func noContent() throws {
        let changed = try Scene(PipelineStep(Self.suffix), length: 2, hasContent: false)
        #expect(try changed.head == "203 \(Self.tag(Self.suffix)) unknown")
        let unchanged = try Scene(PipelineStep(Self.headOnly), length: 2, hasContent: false)
        #expect(try unchanged.head == "203 \(Self.tag(Self.headOnly)) 2")
    }

    @Test("large content goes on as the client reads, and the origin as the content goes on")
    func large() throws {
        let scene = try Scene(PipelineStep(ScriptedTransformer.upper))
        let ahead = GrowingBody.Limits().ahead
        for _ in 0..<4 { scene.append(String(repeating: "a", count: ahead)) }
        scene.finish()
        #expect(scene.grants.value <= 2 * ahead, "nobody has read")
        #expect(scene.text == String(repeating: "A", count: 4 * ahead))
    }

    @Test("the origin may send more as soon as what came has gone through")
    func granting() throws {
        let scene = try Scene(PipelineStep(ScriptedTransformer.upper))
        scene.append(String(repeating: "a", count: 128 * 1024))
        #expect(scene.grants.value == 128 * 1024)
    }

    @Test("content that is too large comes as it was, with the origin's head", arguments: [5, nil] as [Int64?])
    func oversize(length: Int64?) throws {
        var limits = TransformLimits()
        limits.wholeContent = 4
        let scene = try Scene(PipelineStep(Self.suffix, onOversize: .pass), length: length, limits: limits)
        scene.append("123")
        scene.append("45")
        #expect(scene.head == "203 \"a\" \(length.map { "\($0)" } ?? "unknown"), content")
        #expect(scene.text == "12345")
        scene.finish()
        guard case .end? = scene.read().end else { return #expect(Bool(false), "it is complete") }
    }

    // MARK: Failures

    @Test("content that the origin cuts off fails")
    func cut() throws {
        let failure = ExchangeFailure(.responseIncomplete, "cut")
        let scene = try Scene(PipelineStep(Self.suffix))
        scene.append("ab")
        scene.content.fail(failure)
        scene.workers.run()
        guard case .interrupted(failure)? = scene.failure else { return #expect(Bool(false), "it is cut") }
    }

    @Test("a client that leaves ends the run")
    func cancelledRun() throws {
        let scene = try Scene(PipelineStep(Self.suffix))
        scene.append("ab")
        scene.content.cancel()
        scene.workers.run()
        guard case .cancelled? = scene.failure else { return #expect(Bool(false), "nobody waits for it") }
    }

    @Test("a client that leaves ends content that stays as it is")
    func cancelledContent() throws {
        let scene = try Scene(PipelineStep(Self.headOnly))
        scene.append("ab")
        #expect(scene.text == "ab")
        scene.content.cancel()
        guard case .failed(let failure)? = scene.read().end else { return #expect(Bool(false), "it is over") }
        #expect(failure == RunFailure.cancelled.exchangeFailure)
    }
}
