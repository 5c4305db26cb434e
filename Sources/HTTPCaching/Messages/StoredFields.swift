public import HTTPCore

/// How a response's fields are stored and reused (RFC 9111 §3.1).
public enum StoredFields {
    /// The fields to store: without the connection's own, fields that Connection lists, and Warning.
    ///
    /// Order, spelling and repetition of the others stay. Fields that caching and framing rely on stay even if
    /// Connection lists them (H-069).
    public static func storing(_ response: Fields) -> Fields {
        var fields = response
        HopByHop.strip(response: &fields)
        fields.remove(.warning)
        return fields
    }

    /// The fields to reuse for another request: without fields that `private="…"` and `no-cache="…"` name (C-20.4), and
    /// without tags for caches (C-24.3).
    ///
    /// Age stays: the sender replaces it.
    public static func reusing(_ stored: Fields, under control: CacheControl) -> Fields {
        guard keepsBack(stored, under: control) else { return stored }
        var fields = stored
        fields.removeLines { !isReused($0, of: stored, under: control) }
        return fields
    }

    /// Whether any line may be stored but not reused.
    public static func keepsBack(_ stored: Fields, under control: CacheControl) -> Bool {
        !control.privateFields.isEmpty || !control.noCacheFields.isEmpty || CacheTags.hasLineForCaches(stored)
    }

    /// Whether a line of `stored` is reused.
    public static func isReused(_ line: Fields.Line, of stored: Fields, under control: CacheControl) -> Bool {
        if let known = line.known, indispensable.contains(known) { return true }
        return !CacheTags.isForCaches(line, of: stored)
            && !control.privateFields.contains { stored.hasName(line, $0) }
            && !control.noCacheFields.contains { stored.hasName(line, $0) }
    }

    private static let indispensable: KnownFieldSet = [
        .contentEncoding, .contentLength, .contentRange, .contentType, .vary, .date, .age,
    ]
}
