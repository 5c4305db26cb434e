import HTTPCaching
import HTTPCore
import Transforms

/// A response whose head has come: the judged head, and the sink for the content.
///
/// If the load completes a stored part, the head is that of the whole.
struct IncomingResponse {
    let head: ReceivedHead
    /// The sink for the exchange's content: the response's own body, or a step that completes or redacts it first.
    let content: any BodySink
    /// The time and configuration by which the head was judged.
    let context: ResourceContext

    init(
        _ load: Load,
        _ cause: LoadCause,
        isDetached: Bool,
        _ received: ResponseHead,
        _ completed: CompletedHead?,
        _ context: ResourceContext
    ) {
        let head = completed?.head ?? received
        var judged = JudgedHead.judge(head, isStripped: completed != nil, cause, isDetached: isDetached, context)
        let plan = cause.request.rendition?.plan(status: head.status, fields: judged.fields)
        let redacted = plan.flatMap { plan in
            plan.redactsBeforeStore && Self.hasContent(head)
                ? Redacted(plan, EntityHead(status: head.status, fields: judged.fields), load, head, context)
                : nil
        }
        if redacted == nil, Self.isTooLarge(judged, context) { judged.refuseAsTooLarge() }
        let body = Self.body(
            load,
            redacted,
            judged,
            ahead: completed?.bytes ?? 0,
            continuation: redacted == nil && judged.isShared && judged.extent == nil
                ? Self.continuation(load, judged, context) : nil,
            recorder: completed == nil && judged.isRecorded ? PieceRecorder(context.environment.timekeeper) : nil,
            context
        )
        content = redacted?.received ?? completed?.content(before: body, load, context) ?? body
        self.context = context
        let final = judged
        func response(_ fields: Fields) -> LoadedResponse {
            final.response(
                load.number,
                fields,
                .growing(body),
                rendition: redacted == nil ? [] : cause.request.rendition?.mark ?? [],
                redaction: redacted?.run,
                context
            )
        }
        self.head = judged.received(
            response(judged.fields),
            own: Self.own(judged, completed).map(response),
            receivedStatus: completed == nil ? nil : received.status,
            cause,
            context
        )
    }

    /// The fields for the request that loaded the rest of a stored part; nil: the same as for others.
    private static func own(_ judged: JudgedHead, _ completed: CompletedHead?) -> Fields? {
        guard let cookies = completed?.ownCookies, !cookies.isEmpty, judged.metadata.applied?.setCookie != .strip
        else { return nil }
        var fields = judged.fields
        fields.remove(.setCookie)
        for cookie in cookies { fields.append(.setCookie, cookie) }
        return fields
    }

    /// Whether the announced length is more than memory or store accept.
    private static func isTooLarge(_ judged: JudgedHead, _ context: ResourceContext) -> Bool {
        guard let length = judged.length, length > context.configuration.body.maximumMemoryObject else {
            return false
        }
        guard judged.isKept, let store = context.environment.store else { return true }
        return !(store.mayKeep(judged.partition) && store.acceptsBody(of: length))
    }

    /// How readers that fall behind the origin get the rest of the content.
    private static func continuation(
        _ load: Load,
        _ judged: JudgedHead,
        _ context: ResourceContext
    ) -> BodyContinuation {
        let plan = CatchUpPlan(load, judged, context)
        return BodyContinuation(
            comparesDigests: !plan.hasStrongTag,
            makeRest: { offset, digests in CatchUpLoad(plan, from: offset, digests) },
            deserted: { [weak load] in load?.didLoseReaders() }
        )
    }

    private static func hasContent(_ head: ResponseHead) -> Bool {
        head.status != 204 && head.framing != .none && head.framing != .length(0)
    }

    private static func body(
        _ load: Load,
        _ redacted: Redacted?,
        _ judged: JudgedHead,
        ahead: Int64,
        continuation: BodyContinuation?,
        recorder: PieceRecorder?,
        _ context: ResourceContext
    ) -> GrowingBody {
        let store = context.environment.store
        let keeper = store.flatMap { $0.mayKeep(judged.partition) ? $0 : nil }
        let makeWriter: @Sendable (Int64?) -> (any BodyWriter)? = { keeper?.makeBody(expected: $0) }
        let body = GrowingBody(
            limits: context.configuration.body,
            expected: redacted == nil ? judged.length : nil,
            isShared: judged.isShared,
            granted: context.configuration.initialCredit + Int(clamping: ahead),
            makeWriter: judged.isKept ? makeWriter : nil,
            grant: { [weak load, weak run = redacted?.run] bytes in
                if let run { run.grant(bytes) } else { load?.grant(bytes) }
            },
            lostStore: { [weak load] in load?.reconsider() },
            continuation: continuation,
            recorder: recorder
        )
        body.whenFinalized { [weak load] rendition in load?.didFinalize(rendition) }
        redacted?.run.start(into: body)
        return body
    }

    /// Content that must not be stored as it comes: the origin fills `received`, and `run` redacts it.
    private struct Redacted {
        let received: GrowingBody
        let run: PipelineRun

        init(
            _ plan: PipelinePlan,
            _ original: EntityHead,
            _ load: Load,
            _ head: ResponseHead,
            _ context: ResourceContext
        ) {
            received = GrowingBody(
                limits: context.configuration.body,
                expected: JudgedHead.length(head.framing),
                isShared: false,
                granted: context.configuration.initialCredit,
                makeWriter: nil,
                grant: { [weak load] bytes in load?.grant(bytes) },
                lostStore: {}
            )
            run = PipelineRun(
                plan,
                head: original,
                source: .growing(received),
                part: .beforeStore,
                credit: context.configuration.initialCredit,
                environment: context.environment.transforms
            ) { [weak load] result in
                if case .failure(let failure) = result { load?.didFailRedaction(failure) }
            }
        }
    }
}
