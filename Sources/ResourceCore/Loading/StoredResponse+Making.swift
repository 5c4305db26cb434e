import HTTPCaching
import HTTPCore
import Stores
import Transforms

/// How stored responses are made.
extension StoredResponse {
    /// A complete response of the origin; nil if its content is not what its head announced.
    ///
    /// A 206 is stored as a part, or as the whole if it contains everything (RFC 9110 §15.3.7.3).
    ///
    /// - Parameter isShortened: whether a part may have fewer bytes than announced.
    static func loaded(
        _ head: ReceivedHead,
        _ cause: LoadCause,
        _ number: UInt64,
        _ body: RecordBody,
        isShortened: Bool = false,
        _ context: ResourceContext
    ) -> StoredResponse? {
        let response = head.response
        var extent = head.extent
        if isShortened, extent == nil {
            guard let length = response.contentLength, body.count < length else { return nil }
            extent = ContentExtent(0..<length, total: length)
        }
        if let announced = extent, announced.count != body.count {
            guard isShortened, let received = announced.prefix(body.count) else { return nil }
            extent = received
        }
        let isWhole = extent?.isWhole ?? false
        let partition = head.partition ?? cause.request.partitions.own ?? cause.request.partitions.common
        let delay = response.receivedAt.wholeSeconds(since: cause.sentAt)
        var stored = StoredRecord(
            uri: context.uri,
            partition: partition,
            selection: head.selection,
            status: isWhole ? 200 : extent == nil ? response.status : 206,
            reason: extent == nil ? response.reason : [],
            fields: response.fields,
            requestFields: cause.request.fields.selected(
                by: response.metadata.vary,
                without: head.effective.values.caching.credentials
            ),
            requestTime: HTTPDate(seconds: response.metadata.responseTime.seconds - delay),
            responseTime: response.metadata.responseTime,
            isInvalidated: false,
            body: body,
            rendition: response.rendition,
            extent: isWhole ? nil : extent,
            pieces: response.growing?.pieces ?? StreamPieces()
        )
        var metadata = response.metadata
        if let extent {
            stored.fields = StoredFields.ofWhole(stored.fields, length: extent.total)
            metadata = ResponseMetadata(
                status: stored.status,
                fields: stored.fields,
                requestTime: stored.requestTime,
                responseTime: stored.responseTime,
                options: context.configuration.caching
            )
        }
        return StoredResponse(
            record: stored,
            metadata: metadata,
            receivedAt: response.receivedAt,
            age: response.metadata.ageAtReceiptSeconds,
            loadNumber: number,
            renditions: cause.request.rendition == nil ? nil : response.renditions
        )
    }

    /// A response from a record of the store.
    ///
    /// A record from the future, after the clock was set back, is stale (S-251).
    static func found(
        _ record: StoredRecord,
        _ context: ResourceContext
    ) -> StoredResponse {
        let (wallNow, options) = (context.wallNow, context.configuration.caching)
        var record = record
        // All responses of the URI share one array.
        record.uri = context.uri
        let metadata = record.judge(options)
        let isCredible = record.responseTime <= wallNow
        let age =
            isCredible
            ? metadata.currentAgeSeconds(at: wallNow) : max(metadata.ageAtReceiptSeconds, metadata.lifetimeSeconds)
        return StoredResponse(
            record: record,
            metadata: metadata,
            receivedAt: context.now,
            age: age,
            isFrozen: context.configuration.mode == .replay,
            loadNumber: 0
        )
    }

    /// A local override.
    static func local(
        _ content: [UInt8],
        _ fields: Fields,
        _ status: UInt16,
        lifetime: Duration,
        _ context: ResourceContext
    ) -> StoredResponse {
        var fields = fields
        if !fields.contains(.date) { fields.append(.date, context.wallNow.bytes) }
        let record = StoredRecord(
            uri: context.uri,
            partition: context.effective.anonymousPartitions.common,
            selection: [],
            status: status,
            reason: [],
            fields: fields,
            requestFields: Fields(),
            requestTime: context.wallNow,
            responseTime: context.wallNow,
            isInvalidated: false,
            body: .bytes(content)
        )
        let metadata = ResponseMetadata(
            status: status,
            fields: fields,
            requestTime: context.wallNow,
            responseTime: context.wallNow,
            options: context.configuration.caching
        )
        return StoredResponse(
            record: record,
            metadata: metadata,
            receivedAt: context.now,
            age: 0,
            lifetime: lifetime + .nanoseconds(1),
            isLocal: true,
            loadNumber: 0
        )
    }

    /// The response after a 304, and what to do with the stored one (C-14.3, C-14.4, C-17.1).
    ///
    /// - Parameter keepsSetCookie: by default false in a common partition if the request had credentials (H-114), or if
    ///   the cookie alone would end storing.
    func freshened(
        by head: ResponseHead,
        _ request: ClientRequest,
        sentAt: MonotonicTime,
        number: UInt64,
        keepsSetCookie: Bool? = nil,
        _ context: ResourceContext
    ) -> (StoredResponse, FresheningFate) {
        let options = context.configuration.caching
        // Storability is that of a GET, whatever method freshened the response.
        var profile = request.profile
        profile.method = .get
        let partitions = request.partitions
        let isCommon = partition == partitions.common && partition != partitions.own
        let delay = context.now.wholeSeconds(since: sentAt)
        var updated = self.record
        updated.fields = Freshening.freshened(
            fields,
            by: head.fields,
            receivedAt: context.wallNow,
            keepsSetCookie: keepsSetCookie ?? (!isCommon || request.profile.credentials.isEmpty)
        )
        updated.responseTime = context.wallNow
        updated.requestTime = HTTPDate(seconds: context.wallNow.seconds - delay)
        updated.isInvalidated = false
        let metadata = updated.judge(options)
        let stored = StoredResponse(
            record: updated,
            metadata: metadata,
            receivedAt: context.now,
            age: metadata.ageAtReceiptSeconds,
            isFrozen: context.configuration.mode == .replay,
            loadNumber: number,
            renditions: hasSameContent(updated.fields) ? knownRenditions : nil
        )
        stored.takeHits(of: self, isSame: false)
        let classes: [PartitionClass] = [.personal, .credential, .shared]
        let owners = partitions.rank(of: partition).map { classes[min($0, 2)] } ?? .shared
        let fate = metadata.fate(ofStoredFor: owners, for: profile, options: options, extent: extent)
        if fate == .remove, keepsSetCookie == nil, updated.fields.contains(.setCookie), !fields.contains(.setCookie) {
            return freshened(by: head, request, sentAt: sentAt, number: number, keepsSetCookie: false, context)
        }
        // After a change of the names in Vary, nobody knows which requests the variant is for.
        return (stored, fate == .replace && metadata.vary != self.metadata.vary ? .remove : fate)
    }

    /// The response after a 304 that the load with this number brought.
    func freshened(
        by head: ResponseHead,
        _ cause: LoadCause,
        _ number: UInt64,
        _ context: ResourceContext
    ) -> FreshenedResponse {
        let (forAll, fate) = freshened(by: head, cause.request, sentAt: cause.sentAt, number: number, context)
        // A cookie belongs to the request that caused the load, whatever is stored.
        let isPersonal = head.fields.contains(.setCookie) && forAll.metadata.applied?.setCookie != .strip
        guard isPersonal else {
            return FreshenedResponse(forAll: forAll, forLeader: forAll, fate: fate, isForAll: fate != .remove)
        }
        let (forLeader, _) = freshened(
            by: head,
            cause.request,
            sentAt: cause.sentAt,
            number: number,
            keepsSetCookie: true,
            context
        )
        return FreshenedResponse(forAll: forAll, forLeader: forLeader, fate: fate, isForAll: false)
    }

    /// Whether renditions of the content remain valid under these fields.
    private func hasSameContent(_ fields: Fields) -> Bool {
        [KnownField.etag, .contentType].allSatisfy { fields.values(of: $0) == self.fields.values(of: $0) }
    }
}

/// A stored response after a 304.
struct FreshenedResponse {
    let forAll: StoredResponse
    /// The response for the request that caused the load.
    let forLeader: StoredResponse
    /// What to do with the stored response.
    let fate: FresheningFate
    /// Whether all waiting requests may have it; otherwise only the request that caused the load may, as with a whole
    /// response of this kind (C-23.0).
    let isForAll: Bool
}

extension StoredRecord {
    /// Judges the record; removes Set-Cookie if a rule says so.
    mutating func judge(_ options: CachingOptions) -> ResponseMetadata {
        let judged = metadata(options)
        guard judged.stripsSetCookie(options) else { return judged }
        fields.remove(.setCookie)
        return metadata(options)
    }

    private func metadata(_ options: CachingOptions) -> ResponseMetadata {
        ResponseMetadata(
            status: status,
            fields: fields,
            requestTime: requestTime,
            responseTime: responseTime,
            options: options
        )
    }
}

extension Fields {
    /// The lines that `vary` nominates and that may be stored as they are; none of a credential field (H-158).
    func selected(by vary: VaryNames, without credentials: CredentialFields) -> Fields {
        var result = Fields()
        for name in vary.names where VaryNames.isPlain(name) && !credentials.contains(name) {
            for value in values(named: name) { result.append(name: name, value: value) }
        }
        return result
    }
}
