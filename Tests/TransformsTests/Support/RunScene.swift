import Exchanges
import HTTPCore
import Locking
import TestDoubles
import Testing

@testable import Transforms

/// One run, its output, and what it reported.
final class RunScene: Sendable {
    /// What a run reported.
    private final class Report: Sendable {
        let ready = Lock<PipelineRun.Ready?>(nil)
        let end = Lock<Result<String?, RunFailure>?>(nil)
    }

    let workers = ScriptedWorkers()
    let timekeeper = ManualTimekeeper()
    let memory: TransformMemory
    let context = ManualContext()
    let output: GrowingBody
    let run: PipelineRun
    private let reader: BodyReader?
    private let report: Report

    init(
        _ pipeline: Pipeline,
        _ source: PipelineSource,
        fields: [(String, String)] = [("Content-Type", "text/plain"), ("ETag", "\"a\"")],
        part: PipelinePlan.Part = .whole,
        hasContent: Bool = true,
        credit: Int = 1 << 20,
        limits: TransformLimits = TransformLimits(),
        memory: Int = .max,
        decoder: (any StreamingTransformer)? = nil,
        hasWorkers: Bool = true,
        otherWorkers: (any TransformWorkers)? = nil
    ) throws {
        let lines = Sample.fields(fields)
        let rendition = try #require(
            Sample.rendition(pipeline, limits: limits, hasDecoder: decoder != nil)
        )
        let plan = try #require(rendition.plan(status: 200, fields: lines, forbidsTransforming: false))
        self.memory = TransformMemory(limit: memory)
        let report = Report()
        self.report = report
        let usual: any TransformWorkers = workers
        let run = PipelineRun(
            plan,
            head: EntityHead(status: 200, fields: lines),
            source: source,
            part: part,
            hasContent: hasContent,
            credit: credit,
            environment: TransformEnvironment(
                workers: hasWorkers ? otherWorkers ?? usual : nil,
                memory: self.memory,
                decoder: decoder,
                timekeeper: timekeeper
            ),
            onEnd: { end in report.end.withLock { $0 = end } }
        )
        self.run = run
        output = GrowingBody(
            limits: GrowingBody.Limits(),
            expected: nil,
            isShared: true,
            // It grants nothing itself: the test does.
            granted: .max / 2,
            makeWriter: { _ in nil },
            grant: { _ in },
            lostStore: {}
        )
        reader = output.addReader(context: context, wake: {})
        run.whenReady { ready in report.ready.withLock { $0 = ready } }
    }

    var ready: PipelineRun.Ready? { report.ready.withLock { $0 } }
    var end: Result<String?, RunFailure>? { report.end.withLock { $0 } }

    func start() {
        run.start(into: output)
        runUntilIdle()
    }

    func runUntilIdle() {
        while workers.run() || context.run() {}
    }

    /// The bytes of the output since the last call.
    func read() -> [UInt8] {
        var bytes: [UInt8] = []
        while case .chunks(let chunks)? = reader?.read(maximum: 1 << 20) { bytes += chunks.flatMap(\.bytes) }
        return bytes
    }

    var text: String { String(decoding: read(), as: UTF8.self) }

    var failure: RunFailure? {
        if case .failed(let failure)? = ready { failure } else { nil }
    }

    var reason: TransformFailure.Reason? {
        if case .transformation(let failure)? = failure { failure.failure.reason } else { nil }
    }

    /// The failure that readers of the output get.
    var outputFailure: ExchangeFailure? {
        if case .failed(let failure)? = reader?.read(maximum: 1 << 20) { failure } else { nil }
    }

    var isChanged: Bool { if case .changed? = ready { true } else { false } }

    // MARK: Sources and pipelines

    static let suffix = Sample.pipeline(PipelineStep(ScriptedTransformer.suffix("!")))
    static let upper = Sample.pipeline(PipelineStep(ScriptedTransformer.upper))

    static func bytes(_ text: String) -> PipelineSource { .stored(.bytes(Array(text.utf8))) }

    /// A body that the test fills.
    static func growing(
        isStorable: Bool = true,
        expected: Int64? = nil,
        limits: GrowingBody.Limits = GrowingBody.Limits()
    ) -> GrowingBody {
        let makeWriter: @Sendable (Int64?) -> (any BodyWriter)? = { _ in nil }
        return GrowingBody(
            limits: limits,
            expected: expected,
            isShared: true,
            granted: 1 << 20,
            makeWriter: isStorable ? makeWriter : nil,
            grant: { _ in },
            lostStore: {}
        )
    }
}
