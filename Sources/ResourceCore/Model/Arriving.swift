import HTTPCaching
import HTTPCore

/// What becomes of a response whose head has come: what is known of it, and where its content goes.
///
/// Where the rest of a stored part comes, the head is that of the whole.
struct Arriving {
    let arrival: LoadRecord.Arrival
    let sharing: Sharing
    /// Where the exchange's content goes: the response's own body, or what is put together or redacted into that.
    let received: any ArrivingContent

    init(
        _ cause: ExchangeCause,
        isDetached: Bool,
        _ received: ResponseHead,
        _ completed: CompletedHead?,
        _ circumstances: Circumstances
    ) {
        let head = completed?.head ?? received
        var judged = JudgedHead(head, isStripped: completed != nil, cause, isDetached: isDetached, circumstances)
        let load = cause.load
        let plan = cause.request.form?.plan(status: head.status, fields: judged.fields)
        let redacted = plan.flatMap { plan in
            plan.redactsBeforeStore && Self.hasContent(head)
                ? Redacted(plan, EntityHead(status: head.status, fields: judged.fields), load, head, circumstances)
                : nil
        }
        if redacted == nil, Self.isTooLarge(judged, circumstances) { judged.refuseAsTooLarge() }
        let body = Self.body(
            load,
            redacted,
            judged,
            ahead: completed?.octets ?? 0,
            continuation: redacted == nil && judged.isShared ? Self.continuation(load, judged, circumstances) : nil,
            circumstances
        )
        self.received = redacted?.received ?? completed?.content(before: body, load, circumstances) ?? body
        let final = judged
        sharing = final.sharing
        func response(_ fields: Fields) -> LoadedResponse {
            final.response(
                load.number,
                fields,
                .growing(body),
                form: redacted == nil ? [] : cause.request.form?.mark ?? [],
                redaction: redacted?.run,
                circumstances
            )
        }
        arrival = judged.arrival(
            response(judged.fields),
            own: Self.own(judged, completed).map(response),
            receivedStatus: completed == nil ? nil : received.status,
            cause,
            circumstances
        )
    }

    /// The fields for the request that brought the rest of a stored part; nil: there are none for it alone.
    private static func own(_ judged: JudgedHead, _ completed: CompletedHead?) -> Fields? {
        guard let cookies = completed?.ownCookies, !cookies.isEmpty, judged.metadata.applied?.setCookie != .strip
        else { return nil }
        var fields = judged.fields
        fields.remove(.setCookie)
        for cookie in cookies { fields.append(.setCookie, cookie) }
        return fields
    }

    /// Whether the announced content is known not to fit where it would be kept.
    private static func isTooLarge(_ judged: JudgedHead, _ circumstances: Circumstances) -> Bool {
        guard let length = judged.length, length > circumstances.configuration.body.maximumMemoryObject else {
            return false
        }
        guard judged.isKept, let store = circumstances.environment.store else { return true }
        return !(store.mayKeep(judged.partition) && store.acceptsBody(of: length))
    }

    /// How those go on who fall behind the origin's content.
    private static func continuation(
        _ load: Load,
        _ judged: JudgedHead,
        _ circumstances: Circumstances
    ) -> BodyContinuation {
        let plan = OwnLoadPlan(load, judged, circumstances)
        return BodyContinuation(
            comparesDigests: !plan.hasStrongTag,
            makeRest: { offset, digests in OwnLoad(plan, from: offset, digests) },
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
        _ circumstances: Circumstances
    ) -> GrowingBody {
        let store = circumstances.environment.store
        let keeper = store.flatMap { $0.mayKeep(judged.partition) ? $0 : nil }
        let makeWriter: @Sendable (Int64?) -> (any BodyWriter)? = { keeper?.makeBody(expected: $0) }
        let body = GrowingBody(
            limits: circumstances.configuration.body,
            expected: redacted == nil ? judged.length : nil,
            isShared: judged.isShared,
            granted: circumstances.configuration.initialCredit + Int(clamping: ahead),
            makeWriter: judged.isKept ? makeWriter : nil,
            grant: { [weak load, weak run = redacted?.run] octets in
                if let run { run.grant(octets) } else { load?.grant(octets) }
            },
            lostStore: { [weak load] in load?.reconsider() },
            continuation: continuation
        )
        body.whenSealed { [weak load] form in load?.didSeal(form) }
        redacted?.run.start(into: body)
        return body
    }

    /// Content that must not be kept as it comes: the origin's goes through a window into a run.
    private struct Redacted {
        let received: GrowingBody
        let run: PipelineRun

        init(
            _ plan: PipelinePlan,
            _ original: EntityHead,
            _ load: Load,
            _ head: ResponseHead,
            _ circumstances: Circumstances
        ) {
            received = GrowingBody(
                limits: circumstances.configuration.body,
                expected: JudgedHead.length(head.framing),
                isShared: false,
                granted: circumstances.configuration.initialCredit,
                makeWriter: nil,
                grant: { [weak load] octets in load?.grant(octets) },
                lostStore: {}
            )
            run = PipelineRun(
                plan,
                head: original,
                source: .growing(received),
                part: .beforeStore,
                credit: circumstances.configuration.initialCredit,
                environment: circumstances.environment
            ) { [weak load] result in
                if case .failure(let failure) = result { load?.didFailRedaction(failure) }
            }
        }
    }
}
