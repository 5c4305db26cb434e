/// Collects and parses the trailer section of chunked content (RFC 9112 §7.1.2).
struct TrailerParser: Sendable {
    private let limits: ParserLimits
    private var bytes: [UInt8] = []
    private var lines = FieldLineParser(start: 0)
    private(set) var fields = Fields()
    private var lineCount = 0

    init(limits: ParserLimits) { self.limits = limits }

    /// Continues; `input` follows that of the last call.
    mutating func parse(_ input: Span<UInt8>) -> ParseResult {
        let before = bytes.count
        let room = limits.trailerSection + 1 - before
        ByteScan.append(input, 0..<min(input.count, room), to: &bytes)
        let end = min(bytes.count, limits.trailerSection)
        let text = bytes
        while true {
            switch lines.next(text.span, end: end, table: .shared) {
            case .line(let line):
                lineCount += 1
                guard lineCount <= limits.trailerFields else {
                    return .failed(ParseError(.tooManyTrailers(limit: limits.trailerFields)))
                }
                keep(line)
            case .ignored: continue
            case .needMore:
                guard bytes.count <= limits.trailerSection else {
                    return .failed(ParseError(.trailersTooLarge(limit: limits.trailerSection)))
                }
                return .needMore
            case .failed(let code): return .failed(ParseError(code))
            case .end(let end): return .complete(consumed: end - before)
            }
        }
    }

    private mutating func keep(_ line: Fields.Line) {
        if let known = line.known, !known.isAllowedInTrailers { return }
        fields.append(name: Array(bytes[line.name]), value: Array(bytes[line.value]))
    }
}

extension KnownField {
    /// Whether a trailer section may have the field.
    ///
    /// Not if it frames, routes, authenticates, controls or describes content (RFC 9110 §6.5.1).
    public var isAllowedInTrailers: Bool {
        switch self {
        case .accept, .acceptEncoding, .acceptLanguage, .acceptRanges, .age, .allow, .altSvc, .authorization,
            .cacheControl, .cdnCacheControl, .connection, .contentEncoding, .contentLanguage, .contentLength,
            .contentLocation, .contentRange, .contentType, .cookie, .date, .etag, .expect, .expires, .forwarded, .host,
            .http2Settings, .ifMatch, .ifModifiedSince, .ifNoneMatch, .ifRange, .ifUnmodifiedSince, .incremental,
            .keepAlive, .lastModified, .location, .maxForwards, .origin, .pragma, .proxyAuthenticate,
            .proxyAuthenticationInfo, .proxyAuthorization, .proxyConnection, .range, .referer, .respiteCacheControl,
            .retryAfter, .secFetchDest, .secFetchMode, .secFetchSite, .setCookie, .te, .trailer, .transferEncoding,
            .upgrade, .vary, .via, .warning, .wwwAuthenticate, .xForwardedFor:
            false
        case .cacheStatus, .proxyStatus, .server, .userAgent: true
        }
    }
}
