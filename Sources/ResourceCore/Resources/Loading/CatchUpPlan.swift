import Exchanges
import HTTPCaching
import HTTPCore
import Transforms

/// How a reader that fell behind gets the rest of a response.
///
/// With a strong entity tag it requests the rest (RFC 9110 §14.2). Without one it requests everything, and compares
/// what the reader has.
struct CatchUpPlan: Sendable {
    enum Verdict {
        /// The content begins at this position.
        case begins(at: Int64, total: Int64?)
        /// A later attempt may succeed.
        case mayRepeat(after: Duration?)
        /// The response is of no use.
        case refused(String)
    }

    let provider: any ExchangeProvider
    let timekeeper: any Timekeeper
    let limits: GrowingBody.Limits
    let uri: TargetURI
    /// The request of the load that brought the response.
    private let request: OriginRequest
    private let status: UInt16
    private let metadata: ResponseMetadata
    private let coding: [[UInt8]]
    private let length: Int64?

    init(_ load: Load, _ judged: JudgedHead, _ context: ResourceContext) {
        provider = load.provider
        timekeeper = context.environment.timekeeper
        limits = context.configuration.body
        uri = context.uri
        request = load.request
        status = judged.status
        metadata = judged.metadata
        coding = judged.fields.values(of: .contentEncoding)
        length = judged.length
    }

    var initialCredit: Int { request.initialCredit }

    /// Whether a strong tag identifies the content.
    var hasStrongTag: Bool { metadata.hasStrongTag }

    /// The request for a reader that has all bytes before `offset`.
    func request(from offset: Int64) -> OriginRequest {
        var fields = SentConditions.unconditional(request.fields)
        if let tag = metadata.etag, !tag.isWeak {
            fields.append(.range, "bytes=\(offset)-")
            fields.append(.ifRange, tag.bytes)
        }
        var own = request.untimed
        own.fields = fields
        return own
    }

    func judge(_ head: ResponseHead, from offset: Int64) -> Verdict {
        if [429, 502, 503, 504].contains(head.status) {
            return .mayRepeat(after: request.policies.pause(head.status, head.fields, at: timekeeper.wallNow))
        }
        let announced = JudgedHead.length(head.framing)
        guard hasStrongTag else {
            guard head.status == status, head.fields.values(of: .contentEncoding) == coding,
                length == nil || announced == nil || length == announced
            else { return .refused("the origin answers differently now") }
            return .begins(at: 0, total: length ?? announced)
        }
        let tag = head.fields.count(of: .etag) == 1 ? head.fields.withValue(of: .etag) { EntityTag($0) } ?? nil : nil
        guard let tag, metadata.etag?.matchesStrongly(tag) == true else {
            return .refused("the content has changed since")
        }
        if head.status == 206 {
            let asked = request(from: offset).fields
            let extent = ContentExtent(partialContent: head.fields, length: announced, for: asked)
            guard let extent, let total = extent.total, extent.range == offset..<total, length ?? total == total else {
                return .refused("the origin sent another range than it was asked for")
            }
            return .begins(at: offset, total: total)
        }
        guard head.status == status, length == nil || announced == nil || length == announced else {
            return .refused("the origin answered \(head.status)")
        }
        return .begins(at: 0, total: length ?? announced)
    }
}

extension ResponseMetadata {
    /// Whether it has a strong entity tag, which stands for exactly these bytes.
    var hasStrongTag: Bool { etag.map { !$0.isWeak } ?? false }
}
