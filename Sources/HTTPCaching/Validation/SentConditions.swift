public import HTTPCore

/// The request fields of our own loads (RFC 9111 §4.3.1).
public enum SentConditions {
    /// The client's fields without its conditions and ranges, for an unconditional load of the whole.
    public static func unconditional(_ request: Fields) -> Fields {
        guard !request.present.isDisjoint(with: conditions) else { return request }
        var fields = request
        fields.removeLines { line in line.known.map(conditions.contains) ?? false }
        return fields
    }

    /// The client's fields with our validators in place of its conditions and ranges.
    ///
    /// If-None-Match offers the tags of all stored variants, verbatim; If-Modified-Since has the date of the selected
    /// one. A selected response without a tag is validated by its date alone. Without any validator the load is
    /// unconditional.
    /// - Parameters:
    ///   - selected: the stored response to validate.
    ///   - others: variants whose tags are offered too, of the same partition or the shared one.
    public static func validating(
        _ request: Fields,
        selected: ResponseMetadata,
        others: [ResponseMetadata] = []
    ) -> Fields {
        var fields = unconditional(request)
        if let tag = selected.etag {
            var tags = [tag]
            for other in others.compactMap(\.etag) where !tags.contains(other) { tags.append(other) }
            fields.append(.ifNoneMatch, Array(tags.map(\.bytes).joined(separator: [0x2C, 0x20])))
        }
        if let date = selected.lastModifiedBytes { fields.append(.ifModifiedSince, date) }
        return fields
    }

    private static let conditions: KnownFieldSet = [
        .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange, .range,
    ]
}
