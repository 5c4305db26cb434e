import HTTPCaching
import HTTPCore
import Stores
import Transforms

/// A final head with the decisions about its response: whether and where it is stored, and with whom it is shared.
struct JudgedHead {
    let status: UInt16
    let reason: [UInt8]
    /// The announced length.
    let length: Int64?
    /// The fields as they are stored.
    let fields: Fields
    let metadata: ResponseMetadata
    private(set) var storability: Storability
    private(set) var sharing: Sharing
    /// The partition that will store the response; nil: it is not stored.
    private(set) var partition: Partition?
    /// The range in a 206, if one was requested.
    let extent: ContentExtent?
    /// Whether the content is kept once it is complete.
    private(set) var isKept: Bool

    /// Judges a head.
    ///
    /// No initializer, since that would copy all of `self`.
    ///
    /// - Parameters:
    ///   - head: as received, or completed from a stored first part.
    ///   - isStripped: whether hop-by-hop fields are already removed.
    static func judge(
        _ head: borrowing ResponseHead,
        isStripped: Bool,
        _ cause: borrowing LoadCause,
        isDetached: Bool,
        _ context: borrowing ResourceContext
    ) -> JudgedHead {
        let options = context.configuration.caching
        let profile = cause.request.profile
        var fields = isStripped ? head.fields : StoredFields.storing(head.fields)
        if !fields.contains(.date) { fields.append(.date, context.wallNow.bytes) }
        var metadata = Self.metadata(head.status, fields, cause, context, options)
        let extent = Self.extent(head, cause)
        let storability =
            cause.isPost
            ? metadata.storabilityOfPost(to: cause.request.uri, fields: fields, request: profile, options: options)
            : Self.storability(metadata, extent, fields, profile, options)
        let sharing = metadata.sharing(for: profile, options: options)
        if metadata.stripsSetCookie(options) {
            // Sharing stays as judged with the cookie: the response was for one credential.
            fields.remove(.setCookie)
            metadata = Self.metadata(head.status, fields, cause, context, options)
        }
        let partition = isDetached ? nil : Self.partition(storability, cause.request.partitions)
        return JudgedHead(
            status: head.status,
            reason: head.reason,
            length: Self.length(head.framing),
            fields: fields,
            metadata: metadata,
            storability: storability,
            sharing: sharing,
            partition: partition,
            extent: extent,
            isKept: partition != nil || cause.keepsUncacheable
        )
    }

    /// The content is too large to be kept (C-23.1).
    ///
    /// With a strong tag it is shared all the same: a reader that falls behind requests the rest. Without one, each
    /// request gets a load of its own.
    mutating func refuseAsTooLarge() {
        if partition != nil { storability = .refuse(.tooLarge) }
        partition = nil
        isKept = false
        if case .leaderOnly = sharing { return }
        if !metadata.hasStrongTag { sharing = .leaderOnly(.tooLarge) }
    }

    /// Whether several clients may read the content.
    var isShared: Bool { if case .leaderOnly = sharing { partition != nil } else { true } }

    /// Whether the pieces of its content are recorded.
    var isRecorded: Bool { isKept && extent == nil && metadata.isRecordedStream }

    private static func metadata(
        _ status: UInt16,
        _ fields: Fields,
        _ cause: LoadCause,
        _ context: ResourceContext,
        _ options: CachingOptions
    ) -> ResponseMetadata {
        let delay = context.now.wholeSeconds(since: cause.sentAt)
        return ResponseMetadata(
            status: status,
            fields: fields,
            requestTime: HTTPDate(seconds: context.wallNow.seconds - delay),
            responseTime: context.wallNow,
            options: options
        )
    }

    private static func extent(_ head: ResponseHead, _ cause: LoadCause) -> ContentExtent? {
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

    static func length(_ framing: Framing) -> Int64? {
        switch framing {
        case .none: 0
        case .length(let length): length
        case .chunked, .untilClose: nil
        }
    }

    // MARK: The response

    /// The response with these fields.
    func response(
        _ number: UInt64,
        _ fields: Fields,
        _ content: LoadedResponse.Content,
        rendition: [UInt8] = [],
        redaction: PipelineRun? = nil,
        _ context: ResourceContext
    ) -> LoadedResponse {
        LoadedResponse(
            number: number,
            status: status,
            reason: reason,
            fields: fields,
            metadata: metadata,
            contentLength: length,
            content: content,
            partition: partition,
            extent: extent,
            receivedAt: context.now,
            rendition: rendition,
            redaction: redaction
        )
    }

    /// The head for the record of the load.
    ///
    /// - Parameters:
    ///   - own: the response for the request that caused the load, if it differs.
    ///   - receivedStatus: the origin's status, if clients get another.
    func received(
        _ response: LoadedResponse,
        own: LoadedResponse? = nil,
        receivedStatus: UInt16? = nil,
        _ cause: LoadCause,
        _ context: ResourceContext
    ) -> ReceivedHead {
        ReceivedHead(
            response,
            self,
            selection: context.selection(metadata.vary, cause.request.fields),
            effective: context.effective,
            receivedStatus: receivedStatus,
            own: own
        )
    }
}
