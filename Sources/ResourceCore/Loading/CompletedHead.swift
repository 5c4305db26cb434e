import HTTPCaching
import HTTPCore
import Transforms

/// The head of a response whose bytes are added to stored ones (RFC 9110 §15.3.7.3).
struct CompletedHead {
    /// The fields of the stored part, freshened, without hop-by-hop fields.
    ///
    /// Status 200 if the bytes complete a first part; 206 if they fill a hole.
    let head: ResponseHead
    /// Cookies of the rest, only for the request that loaded it; `head` does not contain them (H-114).
    let ownCookies: [[UInt8]]
    /// The stored first part; nil if the bytes fill a hole.
    private let prefix: StoredResponse?
    /// Bytes still to come.
    private let rest: Int64

    /// Returns nil if `received` does not complete `prefix`.
    init?(
        completing prefix: StoredResponse,
        _ received: ResponseHead,
        _ request: ClientRequest,
        _ context: ResourceContext
    ) {
        guard received.status == 206, let extent = prefix.extent else { return nil }
        let announced = JudgedHead.length(received.framing)
        let total = Completion.length(of: extent, prefix.metadata, completedBy: received.fields, length: announced)
        guard let total, !prefix.fields.contradictsDigest(of: received.fields) else { return nil }
        var (head, ownCookies) = Self.freshened(prefix, received, total, request, context)
        head.status = 200
        head.framing = .length(total)
        head.contentLength = total
        self.head = head
        self.ownCookies = ownCookies
        self.prefix = prefix
        rest = total - extent.count
    }

    /// Returns nil if `received` does not begin with the first byte of `hole`, or is of another representation.
    init?(
        filling hole: Range<Int64>,
        of part: StoredResponse,
        _ received: ResponseHead,
        _ request: ClientRequest,
        _ context: ResourceContext
    ) {
        let announced = JudgedHead.length(received.framing)
        guard received.status == 206,
            let next = ContentExtent(partialContent: received.fields, length: announced, for: request.fields),
            next.ranges.first?.lowerBound == hole.lowerBound, let total = next.total,
            let extent = part.extent ?? ContentExtent(0..<max(1, part.contentLength), total: part.contentLength),
            Completion.mayCombine(extent, part.metadata, with: received.fields, next),
            !(part.fields.contradictsDigest(of: received.fields))
        else { return nil }
        var (head, ownCookies) = Self.freshened(part, received, total, request, context)
        for value in received.fields.values(of: .contentRange) { head.fields.append(.contentRange, value) }
        if let announced { head.fields.set(.contentLength, "\(announced)") } else { head.fields.remove(.contentLength) }
        self.head = head
        self.ownCookies = ownCookies
        prefix = nil
        rest = 0
    }

    /// Returns nil if the load adds nothing to stored bytes, or brings other ones.
    init?(_ cause: LoadCause, _ received: ResponseHead, _ context: ResourceContext) {
        if let prefix = cause.prefix {
            self.init(completing: prefix, received, cause.request, context)
        } else if let hole = cause.hole, let part = cause.part {
            self.init(filling: hole, of: part, received, cause.request, context)
        } else {
            return nil
        }
    }

    /// The head with the fields of the whole, and cookies that only the request that loaded it gets.
    private static func freshened(
        _ prefix: StoredResponse,
        _ received: ResponseHead,
        _ total: Int64,
        _ request: ClientRequest,
        _ context: ResourceContext
    ) -> (head: ResponseHead, ownCookies: [[UInt8]]) {
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
        head.reason = []
        head.fields = fields(keepsSetCookie: keepsSetCookie)
        // The whole stays shared, as the part was: the cookie is only for the request that loaded the rest.
        if keepsSetCookie, isCommon, head.fields.contains(.setCookie), !prefix.fields.contains(.setCookie),
            !mayBeShared(head.fields, context)
        {
            keepsSetCookie = false
            head.fields = fields(keepsSetCookie: false)
        }
        return (head, keepsSetCookie ? [] : received.fields.values(of: .setCookie))
    }

    private static func mayBeShared(_ fields: Fields, _ context: ResourceContext) -> Bool {
        let options = context.configuration.caching
        let (time, status) = (context.wallNow, 200 as UInt16)
        return ResponseMetadata(status: status, fields: fields, requestTime: time, responseTime: time, options: options)
            .mayStay(isShared: true, options: options)
    }

    /// The bytes of the first part, if they are in memory and go into the whole at once.
    var bytes: Int64 { if let prefix, case .bytes = prefix.body { prefix.contentLength } else { 0 } }

    /// The sink that puts the first part into `body` before the rest; nil if there is nothing to put there.
    func content(before body: GrowingBody, _ load: Load, _ context: ResourceContext) -> PrefixedContent? {
        prefix.map { PrefixedContent($0, rest: rest, into: body, load, context) }
    }
}
