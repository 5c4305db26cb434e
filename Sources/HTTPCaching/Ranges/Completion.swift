public import HTTPCore

/// Asks for bytes that stored parts lack, and combines what comes with them (RFC 9111 §3.4, RFC 9110 §15.3.7.3).
public enum Completion {
    /// The client's fields, with a Range for the bytes behind a stored part in place of its own conditions and ranges.
    ///
    /// If-Range makes the origin send the whole if the representation has changed.
    public static func asking(_ request: Fields, behind extent: ContentExtent, of stored: ResponseMetadata) -> Fields {
        asking(request, from: extent.end, of: stored)
    }

    /// The same, with a Range for the bytes from `position` on.
    public static func asking(_ request: Fields, from position: Int64, of stored: ResponseMetadata) -> Fields {
        asking(request, "bytes=\(position)-", of: stored)
    }

    /// The same, with `range` alone.
    public static func asking(_ request: Fields, for range: Range<Int64>, of stored: ResponseMetadata) -> Fields {
        asking(request, "bytes=\(range.lowerBound)-\(range.upperBound - 1)", of: stored)
    }

    private static func asking(_ request: Fields, _ range: String, of stored: ResponseMetadata) -> Fields {
        var fields = SentConditions.unconditional(request)
        fields.append(.range, range)
        if let tag = stored.etag, !tag.isWeak { fields.append(.ifRange, tag.bytes) }
        return fields
    }

    /// The length of the whole that a stored part and a 206 make together; nil if they must not be combined.
    ///
    /// Both need the same strong entity tag, and the 206 must continue the part without gap or overlap up to the end.
    /// - Parameters:
    ///   - received: the fields of the 206.
    ///   - length: the length of its content, if its framing announces that.
    public static func length(
        of extent: ContentExtent,
        _ stored: ResponseMetadata,
        completedBy received: Fields,
        length: Int64?
    ) -> Int64? {
        guard let next = ContentExtent(partialContent: received, length: length), extent.isCompleted(by: next),
            mayCombine(extent, stored, with: received, next)
        else { return nil }
        return next.total
    }

    /// Whether stored parts and a 206 have the same strong entity tag, and nothing contradicts that (C-22.2).
    ///
    /// - Parameters:
    ///   - received: the fields of the 206.
    ///   - next: the bytes that it brings.
    public static func mayCombine(
        _ extent: ContentExtent,
        _ stored: ResponseMetadata,
        with received: Fields,
        _ next: ContentExtent
    ) -> Bool {
        guard let total = next.total, extent.total == nil || extent.total == total else { return false }
        guard received.count(of: .etag) == 1, let tag = received.withValue(of: .etag, { EntityTag($0) }) ?? nil,
            stored.etag?.matchesStrongly(tag) == true
        else { return false }
        return !stored.contradictsDate(received.value(of: .lastModified))
    }

    /// The fields of the whole: the stored ones, freshened by those of the 206.
    public static func fields(
        _ stored: Fields,
        completedBy received: Fields,
        length: Int64,
        receivedAt: HTTPDate,
        keepsSetCookie: Bool
    ) -> Fields {
        let fields = Freshening.freshened(
            stored,
            by: received,
            receivedAt: receivedAt,
            keepsSetCookie: keepsSetCookie
        )
        return StoredFields.ofWhole(fields, length: length)
    }
}

extension ResponseMetadata {
    /// Whether it has a strong entity tag, which stands for exactly these bytes.
    public var hasStrongTag: Bool { etag.map { !$0.isWeak } ?? false }

    /// Whether `fields` have this very tag, and it is strong.
    public func hasStrongTag(of fields: Fields) -> Bool {
        let tag = fields.count(of: .etag) == 1 ? fields.withValue(of: .etag) { EntityTag($0) } ?? nil : nil
        return tag.map { etag?.matchesStrongly($0) ?? false } ?? false
    }

    /// Whether both responses have the same strong entity tag, and so the same representation.
    public func hasSameStrongTag(as other: ResponseMetadata) -> Bool {
        guard let etag, let tag = other.etag, etag.matchesStrongly(tag) else { return false }
        return !contradictsDate(other.lastModifiedBytes)
    }

    /// Whether this Last-Modified is another one than its own: equal tags are not relied on then (C-22.2).
    public func contradictsDate(_ received: [UInt8]?) -> Bool {
        guard let received, let lastModifiedBytes else { return false }
        return lastModifiedBytes != received
    }
}

extension Fields {
    /// Whether both have a digest of the whole representation, and these differ (RFC 9530 §3).
    public func contradictsDigest(of other: Fields) -> Bool {
        let name = Array("repr-digest".utf8)
        guard let mine = values(named: name).first, let its = other.values(named: name).first else { return false }
        return mine != its
    }
}
