/// The fields that this package interprets; a look-up compares one byte rather than a name.
///
/// `text` is the customary spelling; names are compared without regard to ASCII case.
public enum KnownField: UInt8, Sendable, CaseIterable {
    case accept, acceptEncoding, acceptLanguage, acceptRanges, age, allow, altSvc, authorization
    case cacheControl, cacheStatus, cdnCacheControl, connection, contentEncoding, contentLanguage, contentLength
    case contentLocation, contentRange, contentType, cookie, date, etag, expect, expires, forwarded, host
    case http2Settings, ifMatch, ifModifiedSince, ifNoneMatch, ifRange, ifUnmodifiedSince, incremental, keepAlive
    case lastModified, location, maxForwards, origin, pragma, proxyAuthenticate, proxyAuthenticationInfo
    case proxyAuthorization, proxyConnection, proxyStatus, range, referer, respiteCacheControl, retryAfter
    case secFetchDest, secFetchMode, secFetchSite, server, setCookie, te, trailer, transferEncoding, upgrade, userAgent
    case vary, via, warning, wwwAuthenticate, xForwardedFor

    /// The customary spelling, such as `Content-Length`.
    public var text: StaticString {
        switch self {
        case .accept: "Accept"
        case .acceptEncoding: "Accept-Encoding"
        case .acceptLanguage: "Accept-Language"
        case .acceptRanges: "Accept-Ranges"
        case .age: "Age"
        case .allow: "Allow"
        case .altSvc: "Alt-Svc"
        case .authorization: "Authorization"
        case .cacheControl: "Cache-Control"
        case .cacheStatus: "Cache-Status"
        case .cdnCacheControl: "CDN-Cache-Control"
        case .connection: "Connection"
        case .contentEncoding: "Content-Encoding"
        case .contentLanguage: "Content-Language"
        case .contentLength: "Content-Length"
        case .contentLocation: "Content-Location"
        case .contentRange: "Content-Range"
        case .contentType: "Content-Type"
        case .cookie: "Cookie"
        case .date: "Date"
        case .etag: "ETag"
        case .expect: "Expect"
        case .expires: "Expires"
        case .forwarded: "Forwarded"
        case .host: "Host"
        case .http2Settings: "HTTP2-Settings"
        case .ifMatch: "If-Match"
        case .ifModifiedSince: "If-Modified-Since"
        case .ifNoneMatch: "If-None-Match"
        case .ifRange: "If-Range"
        case .ifUnmodifiedSince: "If-Unmodified-Since"
        case .incremental: "Incremental"
        case .keepAlive: "Keep-Alive"
        case .lastModified: "Last-Modified"
        case .location: "Location"
        case .maxForwards: "Max-Forwards"
        case .origin: "Origin"
        case .pragma: "Pragma"
        case .proxyAuthenticate: "Proxy-Authenticate"
        case .proxyAuthenticationInfo: "Proxy-Authentication-Info"
        case .proxyAuthorization: "Proxy-Authorization"
        case .proxyConnection: "Proxy-Connection"
        case .proxyStatus: "Proxy-Status"
        case .range: "Range"
        case .referer: "Referer"
        case .respiteCacheControl: "Respite-Cache-Control"
        case .retryAfter: "Retry-After"
        case .secFetchDest: "Sec-Fetch-Dest"
        case .secFetchMode: "Sec-Fetch-Mode"
        case .secFetchSite: "Sec-Fetch-Site"
        case .server: "Server"
        case .setCookie: "Set-Cookie"
        case .te: "TE"
        case .trailer: "Trailer"
        case .transferEncoding: "Transfer-Encoding"
        case .upgrade: "Upgrade"
        case .userAgent: "User-Agent"
        case .vary: "Vary"
        case .via: "Via"
        case .warning: "Warning"
        case .wwwAuthenticate: "WWW-Authenticate"
        case .xForwardedFor: "X-Forwarded-For"
        }
    }
}

/// The known fields of a section, one bit each, so that one comparison shows that a section has nothing special.
public struct KnownFieldSet: Sendable, Equatable, ExpressibleByArrayLiteral {
    public var bits: UInt64

    /// Fields that refer to other URIs, or speak for the origin.
    public static let references: KnownFieldSet = [.location, .contentLocation, .altSvc, .wwwAuthenticate]

    @inlinable public init(bits: UInt64) { self.bits = bits }

    @inlinable
    public init(arrayLiteral elements: KnownField...) {
        bits = 0
        for element in elements { insert(element) }
    }

    @inlinable public mutating func insert(_ field: KnownField) { bits |= 1 << UInt64(field.rawValue) }
    @inlinable public func contains(_ field: KnownField) -> Bool { bits & (1 << UInt64(field.rawValue)) != 0 }
    @inlinable public func isDisjoint(with other: KnownFieldSet) -> Bool { bits & other.bits == 0 }
}
