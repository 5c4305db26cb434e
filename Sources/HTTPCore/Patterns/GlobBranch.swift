/// One alternative of a pattern, ready for matching.
struct GlobBranch: Sendable, Hashable {
    enum Port: Sendable, Hashable {
        /// The default port of the scheme.
        case standard
        case number(UInt16)
        case every
    }

    enum Host: Sendable, Hashable {
        case any
        /// An IPv6 address, however it is written.
        case address(IPAddress)
        case text(BytePattern)
    }

    /// The text of a pattern without a scheme, which is compared with the whole URI unless it gets a base.
    let relativeSource: [UInt8]?
    /// Nil: either.
    let scheme: TargetURI.Scheme?
    let port: Port
    let host: Host
    /// Nil: any path.
    let path: BytePattern?
    /// Nil: the query does not count.
    let query: BytePattern?

    /// A pattern with a scheme.
    init(_ scheme: TargetURI.Scheme?, _ host: Host, _ port: Port, path: BytePattern?, query: BytePattern?) {
        relativeSource = nil
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
        self.query = query
    }

    /// A pattern without a scheme.
    init(relative source: [UInt8]) {
        relativeSource = source
        (scheme, host, port) = (nil, .any, .every)
        let path = source.prefix { $0 != 0x3F }
        self.path = GlobParser.path(path, behind: [])
        query = GlobParser.query(source[path.endIndex...])
    }

    var isRelative: Bool { relativeSource != nil }

    func matches(_ target: inout MatchedTarget) -> Bool {
        // What costs least comes first: most URLs are those of other rules.
        guard scheme == nil || scheme == target.uri.scheme, port.matches(target.uri), host.matches(target.uri) else {
            return false
        }
        if let query {
            guard let bytes = target.uri.query else { return false }
            guard query.matches(PathText.unescaped(bytes, keeping: PathText.queryDelimiters)) else { return false }
        }
        guard let path else { return true }
        return path.matches(isRelative ? target.wholeText[...] : target.path)
    }

    /// Whether every URI of the origin of `target` fits, whatever its path and query.
    func matchesOrigin(_ target: inout MatchedTarget) -> Bool {
        guard isRelative, let path, query == nil, path.hasOpenEnd else {
            return hasEveryPath && matches(&target)
        }
        // What fits the page `/` fits every longer text, too, since the pattern ends with `**`.
        return path.matches(target.authorityText + [0x2F])
    }

    /// Whether it is for every path and query of its origins.
    var hasEveryPath: Bool { query == nil && path?.isEverything(behind: 0x2F) ?? true }

    /// Whether it names no host: see `URLGlob.hasEveryHost`.
    var hasEveryHost: Bool {
        guard isRelative, let path else { return host.isEvery }
        return path.hasOnlyWildcards(beside: 0x2F)
            || ["http://", "https://"].contains { path.mayContinue(after: Array($0.utf8)) }
    }

    /// This alternative below a base.
    func relative(to base: TargetURI) -> GlobBranch {
        guard let source = relativeSource else { return self }
        let rest = source.first == 0x2F ? source.dropFirst() : source[...]
        // The base has no wildcards.
        let prefix = PathText.normalized(base.directory[...]).map { BytePattern.Piece.byte($0) }
        let path = rest.prefix { $0 != 0x3F }
        return GlobBranch(
            base.scheme,
            Host(literal: Array(base.hostWithoutDot)),
            .number(base.port),
            path: GlobParser.path(path, behind: prefix),
            query: GlobParser.query(rest[path.endIndex...])
        )
    }
}

extension GlobBranch.Host {
    /// The host as it stands, in lower case.
    init(literal host: [UInt8]) {
        if host.first == 0x5B, let address = IPAddress(host: host.span) {
            self = .address(address)
        } else {
            self = .text(BytePattern(host.map { .byte($0) }, delimiters: [0x2E]))
        }
    }

    /// Whether it has no text beside wildcards and dots, such as `*`, `**` and `**.*`.
    var isEvery: Bool {
        switch self {
        case .any: true
        case .address: false
        case .text(let pattern): pattern.hasOnlyWildcards(beside: 0x2E)
        }
    }

    func matches(_ uri: TargetURI) -> Bool {
        switch self {
        case .any: true
        case .address(let address): uri.address?.unmapped == address.unmapped
        case .text(let pattern): pattern.matches(uri.hostWithoutDot) || pattern.matchesMapped(uri)
        }
    }
}

extension BytePattern {
    /// Whether an IPv6 address in brackets is another spelling of an IPv4 address that matches.
    fileprivate func matchesMapped(_ uri: TargetURI) -> Bool {
        guard uri.bytes[uri.hostRange.lowerBound] == 0x5B, let address = uri.address?.unmapped, address.isIPv4 else {
            return false
        }
        return matches(Array(address.description.utf8))
    }
}

extension GlobBranch.Port {
    func matches(_ uri: TargetURI) -> Bool {
        switch self {
        case .standard: uri.port == uri.scheme.defaultPort
        case .number(let number): uri.port == number
        case .every: true
        }
    }
}

/// A URI that is compared with several alternatives; its path is brought to normal form at most once.
struct MatchedTarget {
    let uri: TargetURI
    private var knownPath: ArraySlice<UInt8>?

    init(_ uri: TargetURI) { self.uri = uri }

    var path: ArraySlice<UInt8> {
        mutating get {
            if let knownPath { return knownPath }
            let raw = uri.pathWithoutQuery
            let path = PathText.isNormal(raw) ? raw : PathText.normalized(raw)[...]
            knownPath = path
            return path
        }
    }

    /// The text up to the query, with the host in its canonical spelling.
    var wholeText: [UInt8] {
        mutating get { authorityText + path }
    }

    /// The text before the path.
    var authorityText: [UInt8] {
        uri.bytes[..<uri.hostRange.lowerBound] + uri.canonicalHost
            + uri.bytes[uri.hostRange.upperBound..<uri.pathRange.lowerBound]
    }
}

extension TargetURI {
    /// The host without a dot at its end, which names the same host.
    var hostWithoutDot: ArraySlice<UInt8> {
        let host = bytes[hostRange]
        return host.count > 1 && host.last == 0x2E ? host.dropLast() : host
    }

    /// The host in one spelling: without a dot at its end, an IPv6 address short, and one for IPv4 as IPv4.
    fileprivate var canonicalHost: [UInt8] {
        guard bytes[hostRange.lowerBound] == 0x5B, let address = address?.unmapped else { return Array(hostWithoutDot) }
        return Array((address.isIPv4 ? address.description : "[\(address)]").utf8)
    }

    /// The address that the host is.
    fileprivate var address: IPAddress? { IPAddress(host: bytes.span.extracting(hostRange)) }
}
