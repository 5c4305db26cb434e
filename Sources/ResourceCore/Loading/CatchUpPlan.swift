import Exchanges
import HTTPCaching
import HTTPCore
import Transforms

/// How a reader that fell behind gets the rest of a response, or a load that was cut.
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
    private let fields: Fields
    private let length: Int64?
    /// The bytes of the representation that the response brings; nil: all of them.
    private let extent: ContentExtent?

    init(_ load: Load, _ judged: JudgedHead, _ context: ResourceContext) {
        self.init(load, judged.status, judged.metadata, judged.fields, judged.length, nil, context)
    }

    /// For a load whose response was cut.
    init(_ load: Load, _ response: LoadedResponse, _ context: ResourceContext) {
        let length = response.contentLength
        self.init(load, response.status, response.metadata, response.fields, length, response.extent, context)
    }

    private init(
        _ load: Load,
        _ status: UInt16,
        _ metadata: ResponseMetadata,
        _ fields: Fields,
        _ length: Int64?,
        _ extent: ContentExtent?,
        _ context: ResourceContext
    ) {
        provider = load.provider
        timekeeper = context.environment.timekeeper
        limits = context.configuration.body
        uri = context.uri
        request = load.request
        self.status = status
        self.metadata = metadata
        self.fields = fields
        self.length = length
        self.extent = extent
    }

    var initialCredit: Int { request.initialCredit }

    /// Whether a strong tag identifies the content.
    var hasStrongTag: Bool { metadata.hasStrongTag }

    /// The request for a reader that has all bytes before `offset`.
    func request(from offset: Int64) -> OriginRequest {
        var own = request.untimed
        if let range = extent?.ranges.first {
            let rest = min(range.lowerBound + offset, range.upperBound - 1)..<range.upperBound
            own.fields = Completion.asking(request.fields, for: rest, of: metadata)
        } else if metadata.hasStrongTag {
            own.fields = Completion.asking(request.fields, from: offset, of: metadata)
        } else {
            own.fields = SentConditions.unconditional(request.fields)
        }
        return own
    }

    func judge(_ head: ResponseHead, from offset: Int64) -> Verdict {
        if [429, 502, 503, 504].contains(head.status) {
            return .mayRepeat(after: request.policies.pause(head.status, head.fields, at: timekeeper.wallNow))
        }
        let announced = JudgedHead.length(head.framing)
        guard hasStrongTag else {
            guard head.status == status,
                head.fields.values(of: .contentEncoding) == fields.values(of: .contentEncoding),
                length == nil || announced == nil || length == announced
            else { return .refused("the origin answers differently now") }
            return .begins(at: 0, total: length ?? announced)
        }
        guard metadata.hasStrongTag(of: head.fields), !fields.contradictsDigest(of: head.fields),
            !metadata.contradictsDate(head.fields.value(of: .lastModified))
        else {
            return .refused("the content has changed since")
        }
        if head.status == 206 {
            let asked = request(from: offset).fields
            let next = ContentExtent(partialContent: head.fields, length: announced, for: asked)
            guard let next, let total = next.total, next.ranges == [rest(from: offset, of: total)],
                total == (extent.map(\.total) ?? length) ?? total
            else { return .refused("the origin sent another range than it was asked for") }
            return .begins(at: offset, total: extent?.count ?? total)
        }
        guard head.status == status, extent == nil, length == nil || announced == nil || length == announced else {
            return .refused("the origin answered \(head.status)")
        }
        return .begins(at: 0, total: length ?? announced)
    }

    /// The positions in the representation of the bytes from `offset` on.
    private func rest(from offset: Int64, of total: Int64) -> Range<Int64> {
        let range = extent?.ranges.first ?? 0..<total
        return min(range.lowerBound + offset, range.upperBound)..<range.upperBound
    }
}
