public import HTTPCore

/// The request fields of our own loads (RFC 9111 §4.3.1).
public enum SentConditions {
    /// The client's fields without its conditions and ranges: a plain load of the whole.
    public static func unconditional(_ request: Fields) -> Fields {
        guard !request.present.isDisjoint(with: ofTheClient) else { return request }
        var fields = request
        fields.removeLines { line in line.known.map(ofTheClient.contains) ?? false }
        return fields
    }

    /// The client's fields with our validators in place of its conditions and ranges.
    ///
    /// If-None-Match offers the tags of all stored variants, verbatim; Last-Modified is the selected one's. A selected
    /// response without a tag is validated by its date alone. Without any validator this is a plain load.
    /// - Parameters:
    ///   - selected: the stored response to validate.
    ///   - others: further variants whose tags are offered too, in the same partition or the shared one.
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

    private static let ofTheClient: KnownFieldSet = [
        .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange, .range,
    ]
}
