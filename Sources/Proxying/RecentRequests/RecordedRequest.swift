import Eventing
import HTTPCaching
import HTTPCore
import HTTPServer
import Observability
import Outcomes
import ResourceCore

/// One request in a ring: numbers, and references to what is there anyway.
struct RecordedRequest: Sendable {
    /// 0: there is none.
    var id: UInt64 = 0
    /// When the head was complete, by the monotonic clock.
    var receivedAt: Int64 = 0
    /// Nanoseconds.
    var duration: Int64 = 0
    var contentBytes: Int64 = 0
    /// The target of a usual hit; of other requests it is among the details.
    var target: [UInt8] = []
    /// The rules for the stored response of a hit.
    var applied: AppliedRules?
    /// What a usual hit has not; in a copy for readers.
    var details: RequestDetails?
    var client: IPAddress?
    var status: UInt16 = 0
    var outcome = RequestOutcome.hit
    var form: RouteKind.Form?

    /// The numbers of a hit.
    struct Hit {
        var id: UInt64
        var receivedAt: Int64
        var duration: Int64
        var contentBytes: Int64
        var client: IPAddress?
        var status: UInt16
        var form: RouteKind.Form
    }

    /// Changes each property by itself: a new value would take its references twice.
    @inline(__always)
    mutating func fill(_ hit: Hit, _ stored: StoredResponse) {
        id = hit.id
        receivedAt = hit.receivedAt
        duration = hit.duration
        contentBytes = hit.contentBytes
        client = hit.client
        status = hit.status
        outcome = .hit
        form = hit.form
        target = stored.uri.bytes
        let applied = stored.applied
        if applied != nil || self.applied != nil { self.applied = applied }
    }

    mutating func fill(_ exchange: ServerExchange, _ notes: RequestNotes, id: UInt64, at now: MonotonicTime) {
        self.id = id
        receivedAt = exchange.receivedAt.nanoseconds
        duration = now.nanoseconds &- exchange.receivedAt.nanoseconds
        contentBytes = exchange.contentBytes
        client = exchange.peer.ipAddress
        status = exchange.status ?? 0
        outcome = exchange.outcome
        form = notes.form
        if !target.isEmpty { target = [] }
        if applied != nil { applied = nil }
    }
}

/// What is recorded of requests other than usual hits.
final class RequestDetails: Sendable {
    let method: Method
    /// At most `RequestRecord.targetLimit` bytes.
    let target: [UInt8]
    let isCut: Bool
    /// What became of it, of a request for a resource.
    let outcome: CacheOutcome?
    let notes: AccessLogNotes
    let requestBytes: Int64
    /// Nanoseconds to the response's head.
    let headDuration: Int64?
    let upstream: UpstreamTimings
    let isComplete: Bool

    init(
        method: Method,
        target: [UInt8],
        outcome: consuming CacheOutcome?,
        notes: consuming AccessLogNotes,
        requestBytes: Int64,
        headDuration: Int64?,
        upstream: UpstreamTimings,
        isComplete: Bool
    ) {
        self.method = method
        isCut = target.count > RequestRecord.targetLimit
        self.target = isCut ? Array(target.prefix(RequestRecord.targetLimit)) : target
        self.outcome = outcome
        self.notes = notes
        self.requestBytes = requestBytes
        self.headDuration = headDuration
        self.upstream = upstream
        self.isComplete = isComplete
    }
}

extension RequestRecord {
    /// - Parameter wallOffset: nanoseconds from the monotonic clock to the wall clock.
    init(_ slot: RecordedRequest, wallOffset: Int64) {
        let details = slot.details
        self.init(
            id: RequestID(number: slot.id),
            milliseconds: (slot.receivedAt &+ wallOffset) / 1_000_000,
            client: slot.client,
            method: details?.method ?? .get,
            target: details?.target ?? slot.target,
            status: slot.status,
            outcome: "\(slot.outcome.text)",
            contentBytes: slot.contentBytes,
            duration: slot.duration
        )
        rule = slot.applied?.lifetime?.rule
        route = slot.form?.text
        cacheStatus = CacheStatus(.hit)
        guard let details else { return }
        isCut = details.isCut
        cacheStatus = details.outcome.map { CacheStatus($0) }
        reason = details.outcome?.detail == nil ? details.notes.reason ?? details.outcome?.forward?.rawValue : nil
        rule = rule ?? details.notes.rule
        service = details.notes.service
        user = details.notes.user
        requestBytes = details.requestBytes
        headDuration = details.headDuration
        upstream = details.upstream
        isComplete = details.isComplete
    }
}

extension RouteKind.Form {
    /// The word for administrators.
    fileprivate var text: String {
        switch self {
        case .forward: "forward"
        case .prefix: "prefix"
        case .gateway: "gateway"
        case .servicePath, .serviceHost: "service"
        case .intercepted: "intercepted"
        }
    }
}
