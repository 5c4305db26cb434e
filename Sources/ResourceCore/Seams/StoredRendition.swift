public import HTTPCore
public import Transforms

/// A rendition of a stored response's content, as a store keeps it beside that response.
public struct StoredRendition: Sendable {
    public var name: RenditionName
    /// Fields that describe the content, from the head that clients get.
    ///
    /// The head itself is made anew for each use.
    public var fields: Fields
    /// What the entity tag is made of if the original has none; else empty.
    public var digest: [UInt8]
    public var madeAt: HTTPDate
    public var body: RecordBody

    public init(name: RenditionName, fields: Fields, digest: [UInt8], madeAt: HTTPDate, body: RecordBody) {
        self.name = name
        self.fields = fields
        self.digest = digest
        self.madeAt = madeAt
        self.body = body
    }
}

/// Identifies a rendition of an original: all that its bytes depend on besides the original.
public struct RenditionName: Sendable, Hashable {
    /// The transformers with their options; the same text in each process.
    public var pipeline: String
    /// The values of the request that affect the result; empty if none do.
    public var variation: String

    public init(pipeline: String, variation: String) {
        self.pipeline = pipeline
        self.variation = variation
    }
}

/// One stored rendition in one line, for people.
public struct StoredRenditionSummary: Sendable {
    public var partition: Partition
    public var selection: [UInt8]
    public var name: RenditionName
    public var fields: Fields
    public var count: Int64
    public var madeAt: HTTPDate

    public init(
        partition: Partition,
        selection: [UInt8],
        name: RenditionName,
        fields: Fields,
        count: Int64,
        madeAt: HTTPDate
    ) {
        self.partition = partition
        self.selection = selection
        self.name = name
        self.fields = fields
        self.count = count
        self.madeAt = madeAt
    }
}

extension VariantStore {
    public func commit(
        _ rendition: StoredRendition,
        of original: StoredRecord,
        durable: @escaping @Sendable (Bool) -> Void
    ) {
        durable(false)
    }

    public func lookUp(
        _ name: RenditionName,
        of original: StoredRecord,
        _ completion: @escaping @Sendable (StoredRendition?) -> Void
    ) {
        completion(nil)
    }

    public func listRenditions(of uri: TargetURI, _ completion: @escaping @Sendable ([StoredRenditionSummary]) -> Void)
    {
        completion([])
    }
}
