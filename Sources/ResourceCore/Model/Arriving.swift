import HTTPCaching
import HTTPCore

/// Judges a final head: what is kept of the response, where, and with whom it is shared.
///
/// Where the rest of a stored part comes, that is the head of the whole.
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
        let options = circumstances.configuration.caching
        let load = cause.load
        let delay = circumstances.now.wholeSeconds(since: load.sentAt)
        let wallNow = circumstances.wallNow
        var fields = completed == nil ? StoredFields.storing(head.fields) : head.fields
        if !fields.contains(.date) { fields.append(.date, wallNow.octets) }
        func judge() -> ResponseMetadata {
            ResponseMetadata(
                status: head.status,
                fields: fields,
                requestTime: HTTPDate(seconds: wallNow.seconds - delay),
                responseTime: wallNow,
                options: options
            )
        }
        var metadata = judge()
        let profile = cause.request.profile
        let extent = Self.extent(head, cause)
        let storability =
            cause.isPost
            ? metadata.storabilityOfPost(to: cause.request.uri, fields: fields, request: profile, options: options)
            : Self.storability(metadata, extent, fields, profile, options)
        sharing = metadata.sharing(for: profile)
        if metadata.stripsSetCookie(options) {
            // Judged with it: whose credential it came to counts all the same.
            fields.remove(.setCookie)
            metadata = judge()
        }
        let partition = isDetached ? nil : Self.partition(storability, cause.request.partitions)
        let isKept = partition != nil || cause.isModel
        let isShared = if case .leaderOnly = sharing { partition != nil } else { true }
        let plan = cause.request.form?.plan(status: head.status, fields: fields)
        let redacted = plan.flatMap { plan in
            plan.redactsBeforeStore && Self.hasContent(head)
                ? Redacted(plan, EntityHead(status: head.status, fields: fields), load, head, circumstances) : nil
        }
        let body = Self.body(
            load,
            redacted,
            head,
            isKept: isKept,
            isShared: isShared,
            ahead: completed?.octets ?? 0,
            circumstances
        )
        self.received = redacted?.received ?? completed?.content(before: body, load, circumstances) ?? body
        func response(_ fields: Fields) -> LoadedResponse {
            LoadedResponse(
                number: load.number,
                status: head.status,
                reason: head.reason,
                fields: fields,
                metadata: metadata,
                contentLength: Self.length(head.framing),
                body: body,
                isStorable: partition != nil,
                receivedAt: circumstances.now,
                form: redacted == nil ? [] : cause.request.form?.mark ?? [],
                redaction: redacted?.run
            )
        }
        arrival = LoadRecord.Arrival(
            response: response(fields),
            storability: storability,
            partition: partition,
            selection: ResourceState.selection(metadata.vary, cause.request.fields, circumstances),
            extent: extent,
            receivedStatus: completed == nil ? nil : received.status,
            effective: circumstances.effective,
            own: Self.own(fields, completed, metadata).map(response)
        )
    }

    /// The fields for the request that brought the rest of a stored part; nil: there are none for it alone.
    private static func own(_ fields: Fields, _ completed: CompletedHead?, _ metadata: ResponseMetadata) -> Fields? {
        guard let cookies = completed?.ownCookies, !cookies.isEmpty, metadata.applied?.setCookie != .strip else {
            return nil
        }
        var fields = fields
        fields.remove(.setCookie)
        for cookie in cookies { fields.append(.setCookie, cookie) }
        return fields
    }

    /// What a part holds that was asked for.
    private static func extent(_ head: ResponseHead, _ cause: ExchangeCause) -> ContentExtent? {
        guard head.status == 206, cause.isRanged else { return nil }
        return ContentExtent(partialContent: head.fields, length: length(head.framing), for: cause.request.fields)
    }

    private static func storability(
        _ metadata: ResponseMetadata,
        _ extent: ContentExtent?,
        _ fields: Fields,
        _ profile: RequestProfile,
        _ options: CachingOptions
    ) -> Storability {
        let storability = metadata.storability(for: profile, options: options, extent: extent)
        let isDoubtful = storability == .refuse(.partialContent) && fields.contains(.contentRange)
        return isDoubtful ? .refuse(.contentRange) : storability
    }

    private static func partition(_ storability: Storability, _ partitions: Partitions) -> Partition? {
        switch storability.partition {
        case nil: nil
        case .shared?: partitions.common
        case .credential?: partitions.credential
        case .personal?: partitions.own
        }
    }

    private static func length(_ framing: Framing) -> Int64? {
        switch framing {
        case .none: 0
        case .length(let length): length
        case .chunked, .untilClose: nil
        }
    }

    private static func hasContent(_ head: ResponseHead) -> Bool {
        head.status != 204 && head.framing != .none && head.framing != .length(0)
    }

    private static func body(
        _ load: Load,
        _ redacted: Redacted?,
        _ head: ResponseHead,
        isKept: Bool,
        isShared: Bool,
        ahead: Int64,
        _ circumstances: Circumstances
    ) -> GrowingBody {
        let store = circumstances.environment.store
        let makeWriter: @Sendable (Int64?) -> (any BodyWriter)? = { store?.makeBody(expected: $0) }
        let body = GrowingBody(
            limits: circumstances.configuration.body,
            expected: redacted == nil ? length(head.framing) : nil,
            isShared: isShared,
            granted: circumstances.configuration.initialCredit + Int(clamping: ahead),
            makeWriter: isKept ? makeWriter : nil,
            grant: { [weak load, weak run = redacted?.run] octets in
                if let run { run.grant(octets) } else { load?.grant(octets) }
            },
            lostStore: { [weak load] in load?.reconsider() }
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
                expected: Arriving.length(head.framing),
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
