public import HTTPCore
public import Transforms

/// What a pipeline made of a stored response's content, as a store keeps it beside that.
public struct StoredRendition: Sendable {
    public var name: FormName
    /// Of the head clients get: what tells people what the content is.
    ///
    /// The head itself is made anew for each use.
    public var fields: Fields
    /// What the entity tag is made of where the original has none; else empty.
    public var digest: [UInt8]
    public var madeAt: HTTPDate
    public var body: RecordBody

    public init(name: FormName, fields: Fields, digest: [UInt8], madeAt: HTTPDate, body: RecordBody) {
        self.name = name
        self.fields = fields
        self.digest = digest
        self.madeAt = madeAt
        self.body = body
    }
}

/// Which form of an original: all that its bytes depend on besides the original.
public struct FormName: Sendable, Hashable {
    /// Which transformers, with which options; the same in each process.
    public var pipeline: String
    /// What of the request they go by; empty for nothing.
    public var variation: String

    public init(pipeline: String, variation: String) {
        self.pipeline = pipeline
        self.variation = variation
    }
}

/// One stored form in one line, for people.
public struct StoredRenditionSummary: Sendable {
    public var partition: Partition
    public var selection: [UInt8]
    public var name: FormName
    public var fields: Fields
    public var count: Int64
    public var madeAt: HTTPDate

    public init(
        partition: Partition,
        selection: [UInt8],
        name: FormName,
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
        _ name: FormName,
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
