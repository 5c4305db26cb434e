public import HTTPCaching
public import HTTPCore
import Stores
import Synchronization
public import Transforms

/// A response that is loading; any number of clients may follow it.
public final class LoadedResponse: Sendable {
    /// The number of the load within its resource.
    public let number: UInt64
    public let status: UInt16
    public let reason: [UInt8]
    /// End-to-end fields, in the origin's order.
    public let fields: Fields
    public let metadata: ResponseMetadata
    /// The length the origin announced.
    public let contentLength: Int64?
    private let content: Content
    /// The body for content that came whole; made on first use.
    private let made = AtomicLazyReference<GrowingBody>()
    /// The partition that will store it; nil: it is not stored.
    let partition: Partition?
    /// The bytes of the representation that a 206 brings; nil: all of them.
    public let extent: ContentExtent?
    public let receivedAt: MonotonicTime
    /// Identifies the pipeline that redacts the content before it is stored; empty: none does.
    let rendition: [UInt8]
    let redaction: PipelineRun?
    private let lazyRenditions = AtomicLazyReference<Renditions>()

    /// Where the content is.
    enum Content {
        case growing(GrowingBody)
        /// All of it came with the head, for one client or for several.
        case whole(ByteChunk, isShared: Bool)
    }

    /// The content, if all of it came with the head; to keep it, use `compact`.
    public var whole: ByteChunk? { if case .whole(let bytes, _) = content { bytes } else { nil } }

    /// The content as it arrives.
    ///
    /// A follower adds a reader; if that is refused, the follower is cut or asks again. Made on first use if there is
    /// `whole`.
    public var body: GrowingBody {
        switch content {
        case .growing(let body): body
        case .whole(let bytes, let isShared): made.load() ?? made.storeIfNil(GrowingBody(whole: bytes, isShared))
        }
    }

    /// Whether it will be stored.
    public var isStorable: Bool { partition != nil }
    /// The body that receives the content; nil if that came with the head, which then also ends the load.
    var growing: GrowingBody? { if case .growing(let body) = content { body } else { nil } }
    /// Whether all content that follows the head has come.
    package var isComplete: Bool { growing?.isComplete ?? false }

    /// The renditions of its content.
    var renditions: Renditions { lazyRenditions.load() ?? lazyRenditions.storeIfNil(Renditions()) }

    /// The current age in seconds: the value of `Age` for a request that joins late (RFC 9111 §4.2.3).
    public func currentAge(at now: MonotonicTime) -> Int64 {
        metadata.currentAgeSeconds(sinceReceipt: now.wholeSeconds(since: receivedAt))
    }

    init(
        number: UInt64,
        status: UInt16,
        reason: [UInt8],
        fields: Fields,
        metadata: ResponseMetadata,
        contentLength: Int64?,
        content: Content,
        partition: Partition?,
        extent: ContentExtent? = nil,
        receivedAt: MonotonicTime,
        rendition: [UInt8] = [],
        redaction: PipelineRun? = nil
    ) {
        self.number = number
        self.status = status
        self.reason = reason
        self.fields = fields
        self.metadata = metadata
        self.contentLength = contentLength
        self.content = content
        self.partition = partition
        self.extent = extent
        self.receivedAt = receivedAt
        self.rendition = rendition
        self.redaction = redaction
    }
}
