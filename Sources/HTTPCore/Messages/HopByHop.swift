/// Removes the fields that concern one connection, before a message is forwarded or stored (RFC 9110 §7.6.1).
public enum HopByHop {
    /// Removes Connection, what it nominates, and the other fields of a client's connection.
    ///
    /// - Parameter keepsProxyAuthorization: for a parent proxy that requires it.
    public static func strip(request fields: inout Fields, keepsProxyAuthorization: Bool = false) {
        strip(&fields, keeping: keepsProxyAuthorization ? .proxyAuthorization : nil)
    }

    /// Removes Connection, what it nominates, and the other fields of an upstream connection.
    public static func strip(response fields: inout Fields) { strip(&fields, keeping: nil) }

    private static let always: KnownFieldSet = [
        .connection, .proxyConnection, .keepAlive, .te, .upgrade, .transferEncoding, .http2Settings,
        .proxyAuthorization, .proxyAuthenticate, .proxyAuthenticationInfo,
    ]

    private static func strip(_ fields: inout Fields, keeping kept: KnownField?) {
        guard !fields.present.isDisjoint(with: always) else { return }
        let nominated = nominatedNames(fields)
        guard !nominated.isEmpty else {
            return fields.removeLines { line in line.known.map { $0 != kept && always.contains($0) } ?? false }
        }
        let copy = fields
        fields.removeLines { line in
            guard let known = line.known else {
                return nominated.contains(copy.name(of: line).map(\.asciiLowercased))
            }
            if known == kept { return false }
            if always.contains(known) { return true }
            return !known.isProtectedFromNomination && nominated.contains(known.bytes.map(\.asciiLowercased))
        }
    }

    /// The members of all Connection lines in lower case, without `close` and `keep-alive`.
    private static func nominatedNames(_ fields: Fields) -> Set<[UInt8]> {
        var names: Set<[UInt8]> = []
        for line in fields.lines where line.known == .connection {
            let value = fields.bytes.span.extracting(line.value)
            var position = 0
            while let member = ListMembers.next(in: value, from: &position) {
                let name = value.extracting(member)
                if Token.matches(name, "close") || Token.matches(name, "keep-alive") { continue }
                names.insert([UInt8](copying: name).map(\.asciiLowercased))
            }
        }
        return names
    }
}

extension KnownField {
    /// Whether the field stays even if Connection lists it, since the proxy or the origin relies on it.
    public var isProtectedFromNomination: Bool {
        switch self {
        case .age, .authorization, .cacheControl, .cacheStatus, .cdnCacheControl, .contentEncoding, .contentLength,
            .contentLocation, .contentRange, .contentType, .cookie, .date, .etag, .expect, .expires, .forwarded, .host,
            .ifMatch, .ifModifiedSince, .ifNoneMatch, .ifRange, .ifUnmodifiedSince, .lastModified, .location,
            .maxForwards, .origin, .pragma, .proxyStatus, .range, .respiteCacheControl, .secFetchDest, .secFetchMode,
            .secFetchSite, .setCookie, .transferEncoding, .vary, .via, .wwwAuthenticate, .xForwardedFor:
            true
        case .accept, .acceptEncoding, .acceptLanguage, .acceptRanges, .allow, .altSvc, .connection, .contentLanguage,
            .http2Settings, .incremental, .keepAlive, .proxyAuthenticate, .proxyAuthenticationInfo,
            .proxyAuthorization, .proxyConnection, .referer, .retryAfter, .server, .te, .trailer, .upgrade, .userAgent,
            .warning:
            false
        }
    }
}
