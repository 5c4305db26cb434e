import HTTPCaching
import HTTPCore
import Transforms

/// The head of a whole response: its first part is stored, and its rest is loading (RFC 9110 §15.3.7.3).
struct CompletedHead {
    /// Status 200 with the fields of the whole, without hop-by-hop fields.
    let head: ResponseHead
    /// Cookies of the rest, only for the request that loaded it; `head` does not contain them (H-114).
    let ownCookies: [[UInt8]]
    private let prefix: StoredResponse
    /// Bytes still to come.
    private let rest: Int64

    /// Returns nil if `received` does not complete `prefix`.
    init?(
        _ prefix: StoredResponse,
        _ received: ResponseHead,
        _ request: ClientRequest,
        _ context: ResourceContext
    ) {
        guard received.status == 206, let extent = prefix.extent else { return nil }
        let announced: Int64? = if case .length(let length) = received.framing { length } else { nil }
        let total = Completion.length(of: extent, prefix.metadata, completedBy: received.fields, length: announced)
        guard let total else { return nil }
        let partitions = request.partitions
        let isCommon = prefix.partition == partitions.common && prefix.partition != partitions.own
        func fields(keepsSetCookie: Bool) -> Fields {
            Completion.fields(
                prefix.fields,
                completedBy: received.fields,
                length: total,
                receivedAt: context.wallNow,
                keepsSetCookie: keepsSetCookie
            )
        }
        var keepsSetCookie = !isCommon || request.profile.credentials.isEmpty
        var head = received
        head.status = 200
        head.reason = []
        head.fields = fields(keepsSetCookie: keepsSetCookie)
        // The whole stays shared, as the part was: the cookie is only for the request that loaded the rest.
        if keepsSetCookie, isCommon, head.fields.contains(.setCookie), !prefix.fields.contains(.setCookie),
            !Self.mayBeShared(head.fields, context)
        {
            keepsSetCookie = false
            head.fields = fields(keepsSetCookie: false)
        }
        ownCookies = keepsSetCookie ? [] : received.fields.values(of: .setCookie)
        head.framing = .length(total)
        head.contentLength = total
        self.head = head
        self.prefix = prefix
        rest = total - extent.count
    }

    private static func mayBeShared(_ fields: Fields, _ context: ResourceContext) -> Bool {
        let options = context.configuration.caching
        let (time, status) = (context.wallNow, 200 as UInt16)
        return ResponseMetadata(status: status, fields: fields, requestTime: time, responseTime: time, options: options)
            .mayStay(isShared: true, options: options)
    }

    /// The bytes of the first part, if they are in memory and go into the whole at once.
    var bytes: Int64 { if case .bytes = prefix.body { prefix.contentLength } else { 0 } }

    /// The sink that puts the first part into `body` before the rest.
    func content(before body: GrowingBody, _ load: Load, _ context: ResourceContext) -> PrefixedContent {
        PrefixedContent(prefix, rest: rest, into: body, load, context)
    }
}
