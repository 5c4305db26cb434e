import HTTPCaching
import HTTPCore

/// Judges a final head: what is kept of the response, where, and with whom it is shared.
struct Arriving {
    let arrival: LoadRecord.Arrival
    let sharing: Sharing

    init(_ record: LoadRecord, _ head: ResponseHead, _ circumstances: Circumstances) {
        let options = circumstances.configuration.caching
        let load = record.load
        let delay = circumstances.now.wholeSeconds(since: load.sentAt)
        let wallNow = circumstances.wallNow
        var fields = StoredFields.storing(head.fields)
        if !fields.contains(.date) { fields.append(.date, wallNow.octets) }
        let metadata = ResponseMetadata(
            status: head.status,
            fields: fields,
            requestTime: HTTPDate(seconds: wallNow.seconds - delay),
            responseTime: wallNow,
            options: options
        )
        let profile = record.request.profile
        let storability = metadata.storability(for: profile, options: options)
        sharing = metadata.sharing(for: profile)
        let partition = record.isDetached ? nil : Self.partition(storability, record.request.partitions)
        let isKept = partition != nil || record.isModel
        let isShared = if case .leaderOnly = sharing { partition != nil } else { true }
        let response = LoadedResponse(
            number: record.number,
            status: head.status,
            reason: head.reason,
            fields: fields,
            metadata: metadata,
            contentLength: Self.length(head.framing),
            body: Self.body(load, head, isKept: isKept, isShared: isShared, circumstances),
            isStorable: partition != nil,
            receivedAt: circumstances.now
        )
        arrival = LoadRecord.Arrival(
            response: response,
            storability: storability,
            partition: partition,
            selection: ResourceState.selection(metadata.vary, record.request.fields, circumstances),
            effective: circumstances.effective
        )
    }

    private static func partition(_ storability: Storability, _ partitions: Partitions) -> Partition? {
        switch storability.partition {
        case nil: nil
        case .shared?: partitions.forEverybody
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

    private static func body(
        _ load: Load,
        _ head: ResponseHead,
        isKept: Bool,
        isShared: Bool,
        _ circumstances: Circumstances
    ) -> GrowingBody {
        let store = circumstances.environment.store
        let makeWriter: @Sendable (Int64?) -> (any BodyWriter)? = { store?.makeBody(expected: $0) }
        let body = GrowingBody(
            limits: circumstances.configuration.body,
            expected: length(head.framing),
            isShared: isShared,
            granted: circumstances.configuration.initialCredit,
            makeWriter: isKept ? makeWriter : nil,
            grant: { [weak load] octets in load?.grant(octets) },
            lostStore: { [weak load] in load?.reconsider() }
        )
        body.whenSealed { [weak load] form in load?.didSeal(form) }
        return body
    }
}
