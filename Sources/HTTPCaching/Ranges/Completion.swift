public import HTTPCore

/// How a stored first part becomes the whole (RFC 9111 §3.4, RFC 9110 §15.3.7.3).
public enum Completion {
    /// The request's fields that ask for what is missing behind a stored part, in place of the client's own conditions and ranges.
    ///
    /// If-Range has the origin send the whole instead if the representation is another by now.
    public static func asking(_ request: Fields, for extent: ContentExtent, of stored: ResponseMetadata) -> Fields {
        var fields = SentConditions.unconditional(request)
        fields.append(.range, "bytes=\(extent.range.upperBound)-")
        if let tag = stored.etag, !tag.isWeak { fields.append(.ifRange, tag.bytes) }
        return fields
    }

    /// The length of the whole that a 206 makes of a stored part; nil if both must not be combined.
    ///
    /// Only under the same strong entity tag, and if the numbers fit without gap and overlap up to the end.
    /// - Parameters:
    ///   - received: the fields of the 206.
    ///   - length: of its content, if its framing announces that.
    public static func length(
        of extent: ContentExtent,
        _ stored: ResponseMetadata,
        completedBy received: Fields,
        length: Int64?
    ) -> Int64? {
        guard let next = ContentExtent(partialContent: received, length: length), extent.isCompleted(by: next) else {
            return nil
        }
        guard received.count(of: .etag) == 1, let tag = received.withValue(of: .etag, { EntityTag($0) }) ?? nil,
            stored.etag?.matchesStrongly(tag) == true
        else { return nil }
        // The tag says that it is the same, and the date that it is not: it is not relied on.
        if let old = stored.lastModifiedBytes, let new = received.value(of: .lastModified), old != new { return nil }
        return next.total
    }

    /// The fields of the whole: the stored ones, those that came with the rest in place of the lines of their names.
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
    /// Whether `other` is of the same representation, as one strong entity tag of both tells.
    public func hasSameStrongTag(as other: ResponseMetadata) -> Bool {
        guard let etag, let tag = other.etag else { return false }
        return etag.matchesStrongly(tag)
    }
}
