public import HTTPCore

/// The form in which a response's fields are stored and reused (RFC 9111 §3.1).
public enum StoredFields {
    /// The fields to store: without those of the connection, those Connection nominates, and Warning.
    ///
    /// Order, spelling and repetition of the others stay. Fields that caching and framing rely on stay even if they are
    /// nominated (H-069).
    public static func storing(_ response: Fields) -> Fields {
        var fields = response
        let nominated = response.values(of: .connection).flatMap { $0.plainMembers.map(\.lowercased) }
        fields.removeLines { line in
            if let known = line.known {
                if connectionFields.contains(known) { return true }
                if protected.contains(known) { return false }
            }
            return nominated.contains { response.hasName(line, $0) }
        }
        return fields
    }

    /// The fields to reuse for another request: without those `private="…"` and `no-cache="…"` name (C-20.4).
    ///
    /// Age stays: whoever sends the fields replaces it.
    public static func reusing(_ stored: Fields, under control: CacheControl) -> Fields {
        guard !control.privateFields.isEmpty || !control.noCacheFields.isEmpty else { return stored }
        var fields = stored
        fields.removeLines { line in
            if let known = line.known, indispensable.contains(known) { return false }
            return control.privateFields.contains { stored.hasName(line, $0) }
                || control.noCacheFields.contains { stored.hasName(line, $0) }
        }
        return fields
    }

    static let connectionFields: KnownFieldSet = [
        .connection, .keepAlive, .proxyConnection, .te, .transferEncoding, .upgrade, .http2Settings,
        .proxyAuthenticate, .proxyAuthenticationInfo, .proxyAuthorization, .warning,
    ]

    private static let protected: KnownFieldSet = [
        .age, .cacheControl, .cdnCacheControl, .respiteCacheControl, .contentEncoding, .contentLength, .contentRange,
        .contentType, .date, .etag, .expires, .lastModified, .setCookie, .vary,
    ]

    private static let indispensable: KnownFieldSet = [
        .contentEncoding, .contentLength, .contentRange, .contentType, .vary, .date, .age,
    ]
}
