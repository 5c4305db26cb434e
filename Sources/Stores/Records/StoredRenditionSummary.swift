public import HTTPCore
public import Transforms

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
