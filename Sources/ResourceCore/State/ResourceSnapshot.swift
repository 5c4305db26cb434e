public import Exchanges
public import HTTPCore
package import Outcomes

/// A resource at one moment.
public struct ResourceSnapshot: Sendable {
    /// The resource's number in this process.
    public let id: UInt64
    public let uri: TargetURI
    public let isLoading: Bool
    /// Whether anything must be validated before use (S-201).
    public let isInvalidated: Bool
    /// The responses in memory that loads over exchanges brought, the least recently used first.
    package let variants: StoredVariants
    /// The response to any GET or HEAD without fields that matter to caches, such as credentials.
    ///
    /// Usable while fresh: compare `freshUntil` with the time, serve it, call `noteUse`.
    package let sharedHit: StoredResponse?
    /// The most recently stored variant of the shared partition (S-070).
    package let latestResponse: StoredResponse?
    /// Data from a program's own requests, caches or changes.
    package let data: (any ProgramData)?
    package let error: Boxed<LatestError>?
    /// The number of the event that led to this state.
    public let sequence: UInt64
    /// The table's configuration generation when this was judged; once that has changed, `sharedHit` and lifetimes of
    /// variants are outdated.
    package let generation: UInt64

    init(
        id: UInt64,
        uri: TargetURI,
        variants: StoredVariants = [],
        sharedHit: StoredResponse? = nil,
        latestResponse: StoredResponse? = nil,
        data: (any ProgramData)? = nil,
        error: Boxed<LatestError>? = nil,
        isLoading: Bool = false,
        isInvalidated: Bool = false,
        sequence: UInt64 = 0,
        generation: UInt64 = 0
    ) {
        self.id = id
        self.uri = uri
        self.variants = variants
        self.sharedHit = sharedHit
        self.latestResponse = latestResponse
        self.data = data
        self.error = error
        self.isLoading = isLoading
        self.isInvalidated = isInvalidated
        self.sequence = sequence
        self.generation = generation
    }

    /// How the last load failed, as clients see it; nil if it did not.
    package var latestFailure: ResourceError? { error?.failure }

    /// The later of data's and error's timestamps; 1970 if there is neither (S-072).
    public var timestamp: Timestamp {
        let dataTime = data?.timestamp ?? latestResponse.map { Timestamp($0.responseTime) }
        return max(dataTime ?? .epoch, error?.timestamp ?? .epoch)
    }

    /// Letters for the state: L while it loads, D for data, E for an error (S-075).
    public var flags: String {
        (isLoading ? "L" : "") + (data != nil || latestResponse != nil ? "D" : "") + (error != nil ? "E" : "")
    }
}

/// Data of a program's own.
package protocol ProgramData: AnyObject, Sendable {
    /// When it came, or was last confirmed.
    var timestamp: Timestamp { get }
}
