public import HTTPCore

/// What a request asks of caches (RFC 9111 §5.2.1, RFC 9110 §13, §14).
///
/// Numbers are seconds. To parse one Cache-Control line allocates nothing, and a request that asks for nothing costs
/// one comparison.
public struct RequestDirectives: Sendable, Equatable {
    public var noStore = false
    /// `Pragma: no-cache` counts, too, if there is no Cache-Control.
    public var noCache = false
    public var onlyIfCached = false
    public var noTransform = false
    public var maxAgeSeconds: Int64?
    public var minFreshSeconds: Int64?
    /// `DeltaSeconds.limit` for `max-stale` without a number, which allows any staleness.
    public var maxStaleSeconds: Int64?
    public var staleIfErrorSeconds: Int64?
    /// If-None-Match or If-Modified-Since, which a cache evaluates.
    public var hasCondition = false
    /// If-Match or If-Unmodified-Since, which only the origin evaluates (RFC 9111 §4.3.2).
    public var hasOriginCondition = false
    public var hasRange = false

    /// The directives of a request that asks for nothing.
    public init() {}

    public init(_ fields: borrowing Fields) {
        guard !fields.present.isDisjoint(with: Self.relevant) else { return }
        hasCondition = !fields.present.isDisjoint(with: [.ifNoneMatch, .ifModifiedSince])
        hasOriginCondition = !fields.present.isDisjoint(with: [.ifMatch, .ifUnmodifiedSince])
        hasRange = fields.contains(.range)
        if fields.contains(.cacheControl) {
            readCacheControl(fields)
        } else if fields.contains(.pragma) {
            fields.values(of: .pragma).forEach { readPragma($0.span) }
        }
    }

    private static let relevant: KnownFieldSet = [
        .cacheControl, .pragma, .range, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince,
    ]

    private mutating func readCacheControl(_ fields: Fields) {
        if fields.count(of: .cacheControl) == 1 {
            fields.withValue(of: .cacheControl) { read($0) }
        } else if let list = fields.combined(.cacheControl) {
            read(list.span)
        }
    }

    private mutating func read(_ list: Span<UInt8>) {
        var scanner = DirectiveScanner()
        while let directive = scanner.next(in: list) {
            guard let name = PackedName(list, directive.name) else { continue }
            switch name {
            case .noStore: noStore = true
            case .noCache: noCache = true
            case .onlyIfCached: onlyIfCached = true
            case .noTransform: noTransform = true
            case .maxAge: maxAgeSeconds = maxAgeSeconds ?? directive.seconds(in: list) ?? 0
            case .minFresh: minFreshSeconds = minFreshSeconds ?? directive.seconds(in: list)
            case .maxStale: readMaxStale(directive, in: list)
            case .staleIfError: staleIfErrorSeconds = staleIfErrorSeconds ?? directive.seconds(in: list)
            default: continue
            }
        }
    }

    private mutating func readMaxStale(_ directive: Directive, in list: Span<UInt8>) {
        if case .none = directive.argument {
            maxStaleSeconds = maxStaleSeconds ?? DeltaSeconds.limit
        } else {
            maxStaleSeconds = maxStaleSeconds ?? directive.seconds(in: list)
        }
    }

    private mutating func readPragma(_ list: Span<UInt8>) {
        var scanner = DirectiveScanner()
        while let directive = scanner.next(in: list) {
            if case .none = directive.argument, PackedName(list, directive.name) == .noCache { noCache = true }
        }
    }
}

extension RequestDirectives {
    /// Whether the request is a reload: no-cache, Pragma, or max-age=0.
    var isReload: Bool { noCache || maxAgeSeconds == 0 }

    /// The same directives without those of a reload.
    var withoutReload: RequestDirectives {
        var directives = self
        directives.noCache = false
        if maxAgeSeconds == 0 { directives.maxAgeSeconds = nil }
        return directives
    }
}
