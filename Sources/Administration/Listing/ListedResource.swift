import Exchanges
import Formats
import HTTPCaching
import HTTPCore
import Outcomes
import ResourceCore
import Stores

/// A resource in a listing.
struct ListedResource: Sendable {
    var uri: TargetURI
    /// The status and further values are those of the response for requests without credentials, or else of the latest
    /// stored one.
    var status: UInt16?
    var size: Int64?
    /// The stored range of the representation; nil: all of it.
    var extent: ContentExtent?
    var contentType: [UInt8]?
    var ageSeconds: Int64?
    var ttlSeconds: Int64?
    /// When the origin generated it, and until when it is fresh, in seconds since 1970.
    var generated: Int64?
    var expires: Int64?
    var isShared = true
    var isFresh = false
    var isLoading = false
    /// The progress of a load, between 0 and 1 (S-220).
    var progress: Double?
    var isInMemory = false
    /// The number of variants in memory, and their hits since they entered it.
    var variants: Int?
    var hits: Int?
    var error: ResourceError?

    /// Describes a resource in memory; nil if it has nothing to show.
    init?(_ resource: Resource, now: MonotonicTime) {
        let snapshot = resource.snapshot
        guard !snapshot.variants.isEmpty || snapshot.isLoading || snapshot.latestFailure != nil else { return nil }
        uri = snapshot.uri
        isLoading = snapshot.isLoading
        if isLoading { progress = resource.loadProgress }
        error = snapshot.latestFailure
        isInMemory = true
        variants = snapshot.variants.count
        hits = snapshot.variants.reduce(0) { $0 + $1.hitCount }
        guard let stored = snapshot.latestResponse ?? snapshot.variants.last else { return }
        status = stored.status
        size = stored.contentLength
        extent = stored.extent
        contentType = stored.fields.value(of: .contentType)
        ageSeconds = stored.currentAge(at: now)
        ttlSeconds = stored.ttl(at: now)
        setTimes(stored.metadata)
        isShared = stored.partition == resource.commonPartition
        isFresh = stored.isFresh(at: now)
    }

    /// Describes a resource in the store.
    init(_ summary: StoredSummary, now: HTTPDate, options: CachingOptions, hasher: any PartitionHasher) {
        uri = summary.uri
        status = summary.status
        size = summary.count
        extent = summary.extent
        isShared = summary.partition == .common(options, hasher)
        guard let fields = summary.fields else { return }
        let metadata = ResponseMetadata(
            status: summary.status,
            fields: fields,
            requestTime: summary.requestTime,
            responseTime: summary.responseTime,
            options: options
        )
        let age = metadata.currentAgeSeconds(at: now)
        contentType = fields.value(of: .contentType)
        ageSeconds = age
        ttlSeconds = metadata.ttlSeconds(ageSeconds: age)
        setTimes(metadata)
        isFresh =
            metadata.isFresh(ageSeconds: age) && !summary.isInvalidated
            && !metadata.control.flags.contains(.noCache)
    }

    private mutating func setTimes(_ metadata: ResponseMetadata) {
        let time = metadata.responseTime.seconds - metadata.ageAtReceiptSeconds
        generated = time
        expires = time + metadata.lifetimeSeconds
    }

    /// The states that apply to it.
    var standings: [ResourceStanding] {
        var words: [ResourceStanding] = []
        if status != nil { words.append(isFresh ? .fresh : .stale) }
        if isLoading { words.append(.loading) }
        if error != nil { words.append(.error) }
        return words
    }

    func write(to writer: inout JSONWriter) {
        writer.member("id", ResourceIdentifier(uri).text)
        writer.member("uri", bytes: uri.bytes)
        if let standing = standings.first { writer.member("state", standing.rawValue) }
        if let status { writer.member("status", Int(status)) }
        if let size { writer.member("size", size) }
        extent?.write(to: &writer)
        if let contentType { writer.member("contentType", bytes: contentType) }
        if let ageSeconds { writer.member("ageSeconds", ageSeconds) }
        if let ttlSeconds { writer.member("ttlSeconds", ttlSeconds) }
        if status != nil { writer.member("partition", isShared ? "shared" : "private") }
        if let variants { writer.member("variants", variants) }
        if let hits { writer.member("hits", hits) }
        writer.member("inMemory", isInMemory)
        writer.member("isLoading", isLoading)
        if let progress { writer.member("progress", progress) }
        if let error { writer.memberObject("error") { error.write(to: &$0) } }
    }
}

extension ContentExtent {
    /// Writes the stored range and the complete length as members.
    func write(to writer: inout JSONWriter) {
        writer.memberArray("extents") { writer in
            for range in ranges {
                writer.object { writer in
                    writer.member("first", range.lowerBound)
                    writer.member("last", range.upperBound - 1)
                }
            }
        }
        if let total { writer.member("total", total) }
    }
}

extension ResourceError {
    func write(to writer: inout JSONWriter) {
        writer.member("status", Int(status))
        if let kind { writer.member("type", kind.rawValue) }
        writer.member("message", userMessage)
    }
}
