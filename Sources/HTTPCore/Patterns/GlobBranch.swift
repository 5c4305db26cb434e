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

    enum Form: Sendable, Hashable {
        /// Text without a scheme: compared with the whole URI, unless it gets a base.
        case relative(source: [UInt8])
        case absolute(scheme: TargetURI.Scheme?, Host, Port)
    }

    let form: Form
    /// Nil: any path.
    let path: BytePattern?
    /// Nil: the query does not count.
    let query: BytePattern?

    func matches(_ target: inout MatchedTarget) -> Bool {
        let uri = target.uri
        switch form {
        case .absolute(let scheme, let host, let port):
            guard scheme == nil || scheme == uri.scheme, port.matches(uri), host.matches(uri) else { return false }
            guard matchesQuery(uri) else { return false }
            return path?.matches(target.path) ?? true
        case .relative:
            return path?.matches(target.wholeText) ?? true && matchesQuery(uri)
        }
    }

    private func matchesQuery(_ uri: TargetURI) -> Bool {
        guard let query else { return true }
        guard let bytes = uri.query else { return false }
        return query.matches(PathText.unescaped(bytes, keeping: PathText.queryDelimiters))
    }

    /// This alternative below a base.
    func relative(to base: TargetURI) -> GlobBranch {
        guard case .relative(let source) = form else { return self }
        let rest = source.first == 0x2F ? source.dropFirst() : source[...]
        // The base has no wildcards.
        let prefix = PathText.normalized(base.directory[...]).map { BytePattern.Piece.byte($0) }
        let path = rest.prefix { $0 != 0x3F }
        return GlobBranch(
            form: .absolute(scheme: base.scheme, Host(literal: base.hostWithoutDot), .number(base.port)),
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

    func matches(_ uri: TargetURI) -> Bool {
        switch self {
        case .any: true
        case .address(let address): IPAddress(host: uri.host.span) == address
        case .text(let pattern): pattern.matches(uri.hostWithoutDot)
        }
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

/// A URI that is compared with several alternatives; its path is brought to normal form once.
struct MatchedTarget {
    let uri: TargetURI
    private(set) lazy var path = PathText.normalized(uri.pathWithoutQuery)
    /// The text up to the query.
    private(set) lazy var wholeText = Array(uri.bytes[..<uri.pathRange.lowerBound]) + path

    init(_ uri: TargetURI) { self.uri = uri }
}

extension TargetURI {
    /// The host without a dot at its end, which names the same host.
    var hostWithoutDot: [UInt8] {
        let host = bytes[hostRange]
        return Array(host.last == 0x2E && host.count > 1 ? host.dropLast() : host)
    }
}
