package import Exchanges
package import HTTPCore

/// The content of a response that bypasses the cache and goes through a pipeline.
///
/// The origin's content goes into `append`; the client's comes out of the body in `PassedHead`. Nothing is stored. The
/// origin is never ahead of the one reader by more than the window. Safe from any thread.
package final class PassedContent: Sendable {
    private let received: GrowingBody
    private let output: GrowingBody
    private let run: PipelineRun
    private let key: RenditionKey
    private let original: EntityHead
    private let hasContent: Bool

    init(
        _ plan: PipelinePlan,
        _ original: EntityHead,
        length: Int64?,
        hasContent: Bool,
        credit: Int,
        limits: GrowingBody.Limits,
        environment: TransformEnvironment,
        grant: @escaping @Sendable (Int) -> Void
    ) {
        self.original = original
        self.hasContent = hasContent
        key = plan.rendition.key
        received = GrowingBody(
            limits: limits,
            expected: length,
            isShared: false,
            granted: credit,
            makeWriter: nil,
            grant: grant,
            lostStore: {}
        )
        let run = PipelineRun(
            plan,
            head: original,
            source: .growing(received),
            part: .whole,
            hasContent: hasContent && length != 0,
            credit: limits.ahead,
            environment: environment
        ) { _ in }
        output = GrowingBody(
            limits: limits,
            expected: nil,
            isShared: false,
            granted: limits.ahead,
            makeWriter: nil,
            grant: { [weak run] bytes in run?.grant(bytes) },
            lostStore: {}
        )
        self.run = run
    }

    func start(announced: Int64?, _ completion: @escaping @Sendable (PassedHead) -> Void) {
        run.whenReady { ready in completion(self.head(ready, announced)) }
        run.start(into: output)
    }

    private func head(_ ready: PipelineRun.Ready, _ announced: Int64?) -> PassedHead {
        switch ready {
        case .failed(let failure):
            return .failure(failure)
        case .passed(let byOutput):
            let body = byOutput ? output : received
            return .response(status: original.status, fields: original.fields, contentLength: announced, body: body)
        case .unchanged(let outline):
            let length = outline.changesContent ? nil : announced
            return response(outline, length, hasContent ? received : nil)
        case .changed(let outline):
            return response(outline, output.completeCount, output)
        }
    }

    private func response(_ outline: PipelinePlan.Outline, _ length: Int64?, _ body: GrowingBody?) -> PassedHead {
        let fields = DerivedHead.fields(outline, of: original.fields, key, digest: nil)
        return .response(status: outline.head.status, fields: fields, contentLength: length, body: body)
    }

    // MARK: Content from the origin

    package func append(_ chunk: ByteChunk) { received.append(chunk) }
    package func finish(trailers: Fields?) { received.finish(trailers: trailers) }
    package func fail(_ failure: ExchangeFailure) { received.fail(failure) }

    /// The client has left.
    package func cancel() {
        run.cancel()
        received.fail(RunFailure.cancelled.exchangeFailure)
    }
}
