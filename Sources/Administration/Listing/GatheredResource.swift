import Exchanges
import Formats
import HTTPCaching
import HTTPCore
import Outcomes
import ResourceCore
import Stores
import Transforms

/// Everything known about one resource, in memory and in the store.
struct GatheredResource: Sendable {
    static let notFound = AdminRefusal(404, "nothing is stored of this resource")

    /// - Parameter shared: a sentence about what the shared server has.
    static func notFound(_ shared: String?) -> AdminRefusal {
        shared.map { AdminRefusal(404, "nothing is stored of this resource here. \($0)") } ?? notFound
    }

    static let hidden = AdminRefusal(
        403,
        "a rule redacts this content, which was stored before the rule: purge it, or set keep-original"
    )

    let uri: TargetURI
    /// Shared ones first; within each kind, the latest stored first.
    let variants: [GatheredVariant]
    let isLoading: Bool
    /// The progress of a load, between 0 and 1 (S-220).
    let progress: Double?
    let error: ResourceError?

    /// Calls `completion` inside the call or on a thread of the store.
    static func gather(
        _ uri: TargetURI,
        _ source: AdminSource,
        _ completion: @escaping @Sendable (GatheredResource) -> Void
    ) {
        let environment = source.service.table.environment
        let finish: @Sendable ([StoredRecord], [StoredRenditionSummary]) -> Void = { records, renditions in
            // Read memory after the store: a response that is being committed is still in memory.
            let resource = source.service.table.find(uri)
            completion(GatheredResource(uri, resource, records, renditions, source))
        }
        guard let store = environment.store else { return finish([], []) }
        store.lookUp(uri) { records in
            store.listRenditions(of: uri) { renditions in finish(records, renditions) }
        }
    }

    private init(
        _ uri: TargetURI,
        _ resource: Resource?,
        _ records: [StoredRecord],
        _ renditions: [StoredRenditionSummary],
        _ source: AdminSource
    ) {
        self.uri = uri
        let snapshot = resource?.snapshot
        isLoading = snapshot?.isLoading ?? false
        progress = isLoading ? resource?.loadProgress : nil
        error = snapshot?.latestFailure
        let environment = source.service.table.environment
        let options = source.service.configuration(for: uri).values.caching
        let now = environment.timekeeper.now
        let common = Partition.common(options, environment.hasher)
        var variants = (snapshot?.variants ?? []).map { GatheredVariant($0, common: common, now: now) }
        for record in records
        where !variants.contains(where: { $0.partition == record.partition && $0.selection == record.selection }) {
            let wallNow = environment.timekeeper.wallNow
            variants.append(GatheredVariant(record, common: common, now: wallNow, options: options))
        }
        for index in variants.indices {
            let variant = variants[index]
            variants[index].selecting = (SelectionPart.all(of: variant.selection) ?? []).map { part in
                (part.name, part.telling(options.credentials))
            }
            variants[index].renditions = renditions.filter {
                $0.partition == variant.partition && $0.selection == variant.selection
            }
        }
        self.variants =
            variants.filter(\.isShared).sorted { $0.responseTime > $1.responseTime }
            + variants.filter { !$0.isShared }.sorted { $0.responseTime > $1.responseTime }
    }

    var isKnown: Bool { !variants.isEmpty || isLoading || error != nil }

    /// The variant with this number; nil: the first.
    func variant(_ number: Int?) -> GatheredVariant? {
        variants.indices.contains(number ?? 0) ? variants[number ?? 0] : nil
    }

    /// - Parameter shared: a sentence about what the shared server has for a GET without fields.
    func write(shared: String? = nil, to writer: inout JSONWriter) {
        writer.member("id", ResourceIdentifier(uri).text)
        writer.member("uri", bytes: uri.bytes)
        writer.member("isLoading", isLoading)
        if let progress { writer.member("progress", progress) }
        if let error { writer.memberObject("error") { error.write(to: &$0) } }
        if let shared { writer.member("shared", shared) }
        writer.memberArray("variants") { writer in
            for (number, variant) in variants.enumerated() {
                writer.object { writer in
                    writer.member("number", number)
                    variant.write(to: &writer)
                }
            }
        }
    }
}

/// One stored response, in memory or in the store.
struct GatheredVariant: Sendable {
    let partition: Partition
    /// Whether it may be served to all clients.
    let isShared: Bool
    let selection: [UInt8]
    let status: UInt16
    let fields: Fields
    let metadata: ResponseMetadata
    let responseTime: HTTPDate
    /// Whole seconds from the request to the response.
    let delaySeconds: Int64
    let ageSeconds: Int64
    let ttlSeconds: Int64
    let isFresh: Bool
    let isInvalidated: Bool
    /// Where it is: `memory` or `store`.
    let location: String
    let body: RecordBody
    /// The range of the representation that `body` has; nil: all of it.
    let extent: ContentExtent?
    /// Hits since it entered memory; nil in the store.
    let hits: Int?
    /// Whether the content was redacted before it was stored; then fields about its coding describe the original.
    let isRedacted: Bool
    /// The fields of the request by which it was selected; credentials only by name.
    var selecting: [(name: [UInt8], telling: SelectionPart.Telling)] = []
    /// Its stored renditions.
    var renditions: [StoredRenditionSummary] = []
    /// The names of its tags.
    let tags: [[UInt8]]

    init(_ stored: StoredResponse, common: Partition, now: MonotonicTime) {
        partition = stored.partition
        isShared = stored.partition == common
        selection = stored.selection
        status = stored.status
        fields = stored.fields
        metadata = stored.metadata
        responseTime = stored.responseTime
        delaySeconds = max(0, stored.responseTime.seconds - stored.requestTime.seconds)
        ageSeconds = stored.currentAge(at: now)
        ttlSeconds = stored.ttl(at: now)
        isFresh = stored.isFresh(at: now)
        isInvalidated = stored.isInvalidated
        location = "memory"
        tags = CacheTags.names(of: fields, from: stored.uri)
        hits = stored.hitCount
        body = stored.body
        extent = stored.extent
        isRedacted = !stored.rendition.isEmpty
    }

    init(_ record: StoredRecord, common: Partition, now: HTTPDate, options: CachingOptions) {
        partition = record.partition
        isShared = record.partition == common
        selection = record.selection
        status = record.status
        fields = record.fields
        metadata = ResponseMetadata(
            status: record.status,
            fields: record.fields,
            requestTime: record.requestTime,
            responseTime: record.responseTime,
            options: options
        )
        responseTime = record.responseTime
        delaySeconds = max(0, record.responseTime.seconds - record.requestTime.seconds)
        ageSeconds = metadata.currentAgeSeconds(at: now)
        ttlSeconds = metadata.ttlSeconds(ageSeconds: ageSeconds)
        isInvalidated = record.isInvalidated
        isFresh =
            metadata.isFresh(ageSeconds: ageSeconds) && !record.isInvalidated
            && !metadata.control.flags.contains(.noCache)
        location = "store"
        tags = CacheTags.names(of: fields, from: record.uri)
        hits = nil
        body = record.body
        extent = record.extent
        isRedacted = !record.rendition.isEmpty
    }

    func write(to writer: inout JSONWriter) {
        writer.member("state", isFresh ? ResourceStanding.fresh.rawValue : ResourceStanding.stale.rawValue)
        writer.member("status", Int(status))
        writer.member("partition", isShared ? "shared" : "private")
        writer.memberArray("vary") { writer in for name in metadata.vary.names { writer.text(bytes: name) } }
        writer.memberArray("selecting") { writer in
            for (name, telling) in selecting { writer.array { Self.write(name, telling, to: &$0) } }
        }
        writer.member("size", body.count)
        extent?.write(to: &writer)
        writer.member("ageSeconds", ageSeconds)
        writer.member("lifetimeSeconds", metadata.lifetimeSeconds)
        writer.member("lifetimeSource", metadata.lifetimeSource.rawValue)
        if let rule = metadata.applied?.lifetime?.rule { writer.member("lifetimeRule", rule) }
        writer.member("ttlSeconds", ttlSeconds)
        writer.member("isInvalidated", isInvalidated)
        writer.member("stored", bytes: responseTime.bytes)
        writer.member("in", location)
        if let hits { writer.member("hits", hits) }
        // `forms` is the old name, for one version.
        for name in ["renditions", "forms"] {
            writer.memberArray(name) { writer in
                for rendition in renditions { writer.object { Self.write(rendition, to: &$0) } }
            }
        }
        writer.memberArray("tags") { writer in for tag in tags { writer.text(bytes: tag) } }
        writer.memberArray("fields") { writer in
            for line in fields.lines {
                writer.array { writer in
                    writer.text(bytes: fields.name(of: line))
                    writer.text(bytes: Self.isSecret(line) ? Array("…".utf8) : fields.value(of: line))
                }
            }
        }
    }

    private static func write(_ rendition: StoredRenditionSummary, to writer: inout JSONWriter) {
        writer.member("pipeline", rendition.name.pipeline)
        if !rendition.name.variation.isEmpty { writer.member("variation", rendition.name.variation) }
        if let type = rendition.fields.value(of: .contentType) { writer.member("contentType", bytes: type) }
        if let coding = rendition.fields.value(of: .contentEncoding) { writer.member("contentEncoding", bytes: coding) }
        writer.member("size", rendition.count)
        writer.member("stored", bytes: rendition.madeAt.bytes)
    }

    private static func write(_ name: [UInt8], _ telling: SelectionPart.Telling, to writer: inout JSONWriter) {
        writer.text(bytes: name)
        switch telling {
        case .absent: writer.null()
        case .value(let value): writer.text(bytes: value)
        case .hidden: writer.text("…")
        }
    }

    /// Hides values that give access to something (H-158).
    static func isSecret(_ line: Fields.Line) -> Bool {
        switch line.known {
        case .setCookie, .cookie, .authorization, .proxyAuthorization, .proxyAuthenticationInfo: true
        default: false
        }
    }
}
