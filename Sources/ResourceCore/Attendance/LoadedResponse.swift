public import HTTPCaching
public import HTTPCore

/// A response on its way from the origin, which any number of clients may follow.
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
    /// The content as it arrives.
    ///
    /// A follower adds a reader; if that is refused it must be cut or ask again.
    public let body: GrowingBody
    /// Whether it is going to be stored.
    public let isStorable: Bool
    public let receivedAt: MonotonicTime
    /// What redacts the content before anything of it is stored; empty: nothing does.
    let form: [UInt8]
    let redaction: PipelineRun?
    /// What pipelines make of it.
    let forms = DerivedForms()

    /// The current age in seconds: what `Age` says to a request that joins late (RFC 9111 §4.2.3).
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
        body: GrowingBody,
        isStorable: Bool,
        receivedAt: MonotonicTime,
        form: [UInt8] = [],
        redaction: PipelineRun? = nil
    ) {
        self.number = number
        self.status = status
        self.reason = reason
        self.fields = fields
        self.metadata = metadata
        self.contentLength = contentLength
        self.body = body
        self.isStorable = isStorable
        self.receivedAt = receivedAt
        self.form = form
        self.redaction = redaction
    }
}
