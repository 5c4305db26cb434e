public import HTTPCaching
public import HTTPCore

/// Which records a listing wants; called on any thread.
public protocol RowTest: Sendable {
    /// The URI with these canonical bytes, if a record with this status and size may be wanted; nil if not.
    func uri(of canonical: Span<UInt8>, status: UInt16, contentBytes: Int64) -> TargetURI?
    /// Whether such a record is wanted.
    func wants(_ record: StoredSummary) -> Bool
}

/// Some entries of a listing, and the cursor of the next page.
public struct StoredPage: Sendable {
    public var entries: [StoredSummary]
    /// The cursor of the next page; nil at the end.
    public var next: Int64?

    public init(_ entries: [StoredSummary], next: Int64?) { (self.entries, self.next) = (entries, next) }
}

/// One stored record of a URI in one line, for listings.
public struct StoredSummary: Sendable {
    /// The record's position in the store's order, above 0: the cursor of listings.
    public var id: Int64
    public var uri: TargetURI
    public var partition: Partition
    public var status: UInt16
    public var count: Int64
    /// The response's fields as stored; nil if they cannot be read.
    public var fields: Fields?
    public var requestTime: HTTPDate
    public var responseTime: HTTPDate
    public var isInvalidated: Bool
    /// Which bytes of the representation it holds; nil: all of them.
    public var extent: ContentExtent?

    public init(
        id: Int64,
        uri: TargetURI,
        partition: Partition,
        status: UInt16,
        count: Int64,
        fields: Fields?,
        requestTime: HTTPDate,
        responseTime: HTTPDate,
        isInvalidated: Bool,
        extent: ContentExtent? = nil
    ) {
        self.id = id
        self.uri = uri
        self.partition = partition
        self.status = status
        self.count = count
        self.fields = fields
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.isInvalidated = isInvalidated
        self.extent = extent
    }
}
