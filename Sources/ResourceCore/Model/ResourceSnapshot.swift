public import HTTPCore

/// A resource at one moment; never changes.
public final class ResourceSnapshot: Sendable {
    /// The resource's number in this process.
    public let id: UInt64
    public let uri: TargetURI
    /// What is in memory, the least recently used first.
    public let variants: [StoredResponse]
    /// The one that answers a GET or HEAD without any field that matters to caches, credentials included, while it is
    /// fresh: compare `freshUntil` with the time, serve, `noteUse`.
    public let plain: StoredResponse?
    /// The most recently stored variant of the shared partition (DESIGN.md §6).
    public let latestResponse: StoredResponse?
    public let latestError: ResourceError?
    public let isLoading: Bool
    /// Whether anything held must be validated before use (S-201).
    public let isInvalidated: Bool
    /// The number of the event that led here.
    public let sequence: UInt64
    /// The table's configuration generation when this was judged; with another, `plain` and what variants say of their
    /// lifetime hold no more.
    public let generation: UInt64

    init(
        id: UInt64,
        uri: TargetURI,
        variants: [StoredResponse] = [],
        plain: StoredResponse? = nil,
        latestResponse: StoredResponse? = nil,
        latestError: ResourceError? = nil,
        isLoading: Bool = false,
        isInvalidated: Bool = false,
        sequence: UInt64 = 0,
        generation: UInt64 = 0
    ) {
        self.id = id
        self.uri = uri
        self.variants = variants
        self.plain = plain
        self.latestResponse = latestResponse
        self.latestError = latestError
        self.isLoading = isLoading
        self.isInvalidated = isInvalidated
        self.sequence = sequence
        self.generation = generation
    }
}
