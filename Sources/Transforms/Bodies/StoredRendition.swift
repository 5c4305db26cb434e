public import HTTPCore

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
