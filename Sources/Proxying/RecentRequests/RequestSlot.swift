import HTTPCaching
import HTTPCore
import HTTPServer
import Observability
import ResourceCore

/// One request in a ring: numbers, and references to what is there anyway.
struct RequestSlot: Sendable {
    /// 0: the slot is empty.
    var id: UInt64 = 0
    /// When the head was complete, by the monotonic clock.
    var arrival: Int64 = 0
    /// Nanoseconds.
    var duration: Int64 = 0
    var contentBytes: Int64 = 0
    /// The target of a hit; of other requests it is among the details.
    var uri: TargetURI?
    /// The rules for the stored response of a hit.
    var applied: AppliedRules?
    /// What a usual hit has not.
    var details: RequestDetails?
    var client: IPAddress?
    var status: UInt16 = 0
    var outcome = RequestOutcome.hit
    var form: RouteKind.Form?
}

/// What is recorded of requests other than usual hits.
final class RequestDetails: Sendable {
    let method: Method
    /// At most `RequestRecord.targetLimit` bytes.
    let target: [UInt8]
    let isCut: Bool
    let cacheStatus: CacheStatus?
    let notes: AccessLogNotes?
    let requestBytes: Int64
    /// Nanoseconds to the response's head.
    let headDuration: Int64?
    let isComplete: Bool

    init(
        method: Method,
        target: [UInt8],
        cacheStatus: CacheStatus?,
        notes: AccessLogNotes?,
        requestBytes: Int64 = 0,
        headDuration: Int64? = nil,
        isComplete: Bool = true
    ) {
        self.method = method
        isCut = target.count > RequestRecord.targetLimit
        self.target = isCut ? Array(target.prefix(RequestRecord.targetLimit)) : target
        self.cacheStatus = cacheStatus
        self.notes = notes
        self.requestBytes = requestBytes
        self.headDuration = headDuration
        self.isComplete = isComplete
    }
}

extension RequestRecord {
    /// - Parameter wallOffset: nanoseconds from the monotonic clock to the wall clock.
    init(_ slot: RequestSlot, wallOffset: Int64) {
        let details = slot.details
        self.init(
            id: RequestID(number: slot.id),
            milliseconds: (slot.arrival &+ wallOffset) / 1_000_000,
            client: slot.client,
            method: details?.method ?? .get,
            target: details?.target ?? slot.uri?.bytes ?? [],
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
        cacheStatus = details.cacheStatus
        reason = details.cacheStatus?.detail == nil ? details.notes?.reason : nil
        rule = rule ?? details.notes?.rule
        service = details.notes?.service
        user = details.notes?.user
        requestBytes = details.requestBytes
        headDuration = details.headDuration
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
