/// A pattern of target URIs in settings, such as `https://*.example.com/repos/**`.
///
/// - `*` stands for any bytes within a path segment, or within a label of the host. `**` stands for any bytes of the
///   path, or of the host. `**/` also stands for nothing, so that `/a/**/b` matches `/a/b`; in the same way
///   `**.example.com` matches `example.com`.
/// - Scheme and host are compared without case, the port as a number. A missing port is the scheme's default, and `:*`
///   is any other. `*` may stand for the scheme.
/// - The query counts only if the pattern has a `?`; from there on `*` stands for any bytes but `&`.
/// - Escapes are equal to what they stand for, except `%2F`, `%3F`, `%23` and `%25`, and in a query those of all
///   delimiters. Dot segments are removed. So another spelling of a path does not evade a rule.
/// - A pattern without a scheme is relative to a base, with or without a slash at its start: `**` is everything below
///   the base (S-064). Without a base it is compared with the whole text of the URI (S-063).
///
/// A match takes one step per byte for each 64 bytes of the pattern.
public struct URLGlob: Sendable, Hashable {
    /// Why a text is no pattern.
    public struct SyntaxError: Error, Sendable, Equatable {
        /// A sentence for people.
        public var userMessage: String
    }

    private enum Port: Sendable, Hashable {
        /// The default port of the scheme.
        case standard
        case number(UInt16)
        /// Any port but the default.
        case other
        /// Any port: the host is `**`, and the pattern has no port.
        case any
    }

    private enum Form: Sendable, Hashable {
        /// A relative pattern without a base yet.
        case relative
        /// A relative pattern that has no base.
        case wholeText(BytePattern)
        case absolute(scheme: TargetURI.Scheme?, host: BytePattern, Port)
    }

    /// As written.
    public let text: String
    private let form: Form
    private let path: BytePattern
    private let query: BytePattern?

    /// A pattern has at most this many bytes.
    public static let limit = 4096

    /// Reads a pattern.
    public init(_ text: String) throws(SyntaxError) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else { throw SyntaxError(userMessage: "the URL pattern is empty") }
        guard bytes.count <= Self.limit else {
            throw SyntaxError(userMessage: "the URL pattern is longer than \(Self.limit) bytes")
        }
        guard !bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == 0x23 }) else {
            throw SyntaxError(
                userMessage: "a URL pattern holds no blank, control character or `#`; write `%20` or `%23`"
            )
        }
        self.text = text
        if let schemeEnd = Self.endOfScheme(bytes) {
            let authorityEnd = bytes[schemeEnd...].firstIndex { $0 == 0x2F || $0 == 0x3F } ?? bytes.endIndex
            form = try Self.absolute(bytes, schemeEnd, bytes[schemeEnd..<authorityEnd])
            (path, query) = Self.target(bytes[authorityEnd...])
        } else {
            form = .relative
            (path, query) = Self.target(bytes[...])
        }
    }

    /// The pattern in a service with this base (S-056, S-254).
    public func relative(to base: TargetURI?) -> URLGlob {
        guard case .relative = form else { return self }
        guard let base else { return URLGlob(text, .wholeText(path), path, query) }
        let host = BytePattern(base.host.map { .byte($0) }, delimiters: [0x2E])
        let directory = base.directory
        let bytes = Array(text.utf8)
        let rest = Array(bytes.first == 0x2F ? bytes.dropFirst() : bytes[...])
        // The base has no wildcards.
        let prefix = PathText.normalized(directory[...]).map { BytePattern.Piece.byte($0) }
        let (_, query) = Self.target(rest[...])
        return URLGlob(
            text,
            .absolute(scheme: base.scheme, host: host, Port.number(base.port)),
            Self.pathPattern(rest.prefix { $0 != 0x3F }, behind: prefix),
            query
        )
    }

    private init(_ text: String, _ form: Form, _ path: BytePattern, _ query: BytePattern?) {
        self.text = text
        self.form = form
        self.path = path
        self.query = query
    }

    /// Whether it has a scheme, so that its meaning does not depend on a base.
    public var isAbsolute: Bool { if case .absolute = form { true } else { false } }

    // MARK: Matching

    public func matches(_ uri: TargetURI) -> Bool {
        switch form {
        case .absolute(let scheme, let host, let port):
            guard scheme == nil || scheme == uri.scheme, Self.matches(port, uri), host.matches(uri.host) else {
                return false
            }
        case .relative:
            return relative(to: nil).matches(uri)
        case .wholeText(let whole):
            let text = Array(uri.bytes[..<uri.pathRange.lowerBound]) + PathText.normalized(uri.pathWithoutQuery)
            return whole.matches(text) && matchesQuery(uri)
        }
        return matchesQuery(uri) && path.matches(PathText.normalized(uri.pathWithoutQuery))
    }

    private func matchesQuery(_ uri: TargetURI) -> Bool {
        guard let query else { return true }
        guard let bytes = uri.query else { return false }
        return query.matches(PathText.unescaped(bytes, keeping: PathText.queryDelimiters))
    }

    private static func matches(_ port: Port, _ uri: TargetURI) -> Bool {
        switch port {
        case .standard: uri.port == uri.scheme.defaultPort
        case .number(let number): uri.port == number
        case .other: uri.port != uri.scheme.defaultPort
        case .any: true
        }
    }

    // MARK: Reading

    /// The index behind `scheme://`.
    private static func endOfScheme(_ bytes: [UInt8]) -> Int? {
        guard let colon = bytes.firstIndex(of: 0x3A), colon + 2 < bytes.count else { return nil }
        guard bytes[colon + 1] == 0x2F, bytes[colon + 2] == 0x2F else { return nil }
        let isScheme = bytes[..<colon].allSatisfy { $0 == 0x2A || $0.asciiLowercased &- 0x61 < 26 }
        return isScheme && colon > 0 ? colon + 3 : nil
    }

    private static func absolute(
        _ bytes: [UInt8],
        _ schemeEnd: Int,
        _ authority: ArraySlice<UInt8>
    ) throws(SyntaxError) -> Form {
        let scheme: TargetURI.Scheme?
        switch String(decoding: bytes[..<(schemeEnd - 3)].map(\.asciiLowercased), as: UTF8.self) {
        case "http": scheme = .http
        case "https": scheme = .https
        case "*": scheme = nil
        default: throw SyntaxError(userMessage: "the scheme of a URL pattern is `http`, `https` or `*`")
        }
        guard !authority.contains(0x40) else {
            throw SyntaxError(userMessage: "a URL pattern holds no user name; leave out what stands before `@`")
        }
        let (host, port) = try split(authority)
        guard !host.isEmpty else { throw SyntaxError(userMessage: "the URL pattern has no host; `**` is any") }
        guard !host.contains(where: { $0 >= 0x80 || $0 == 0x25 }) else {
            throw SyntaxError(userMessage: "the host of a URL pattern is ASCII; write the `xn--` form")
        }
        let pieces = BytePattern.pieces(host, delimiter: 0x2E) { [$0[$1].asciiLowercased].moving(&$1) }
        let isAnyHost = pieces == [.anything] && port == .standard
        return .absolute(
            scheme: scheme,
            host: BytePattern(pieces, delimiters: [0x2E, 0x5B, 0x5D]),
            isAnyHost ? .any : port
        )
    }

    private static func split(
        _ authority: ArraySlice<UInt8>
    ) throws(SyntaxError) -> (host: ArraySlice<UInt8>, Port) {
        let searched = authority.lastIndex(of: 0x5D) ?? authority.startIndex
        guard let colon = authority[searched...].firstIndex(of: 0x3A) else { return (authority, .standard) }
        let digits = authority[(colon + 1)...]
        let host = authority[..<colon]
        if digits.isEmpty { return (host, .standard) }
        if digits.elementsEqual([0x2A]) { return (host, .other) }
        guard digits.allSatisfy(\.isDigit), let number = UInt16(String(decoding: digits, as: UTF8.self)), number > 0
        else { throw SyntaxError(userMessage: "the port of a URL pattern is a number from 1 to 65535, or `*`") }
        return (host, .number(number))
    }

    /// Path and query; an empty path is `/`.
    private static func target(_ bytes: ArraySlice<UInt8>) -> (BytePattern, BytePattern?) {
        let path = bytes.prefix { $0 != 0x3F }
        let query = bytes[path.endIndex...].dropFirst()
        let pattern = pathPattern(path.isEmpty ? [0x2F] : path, behind: [])
        guard path.endIndex < bytes.endIndex else { return (pattern, nil) }
        let pieces = BytePattern.pieces(query, delimiter: 0x26) {
            PathText.next($0, &$1, keeping: PathText.queryDelimiters)
        }
        return (pattern, BytePattern(pieces, delimiters: [0x26]))
    }

    private static func pathPattern(_ bytes: ArraySlice<UInt8>, behind prefix: [BytePattern.Piece]) -> BytePattern {
        let pieces = BytePattern.pieces(bytes, delimiter: 0x2F) {
            PathText.next($0, &$1, keeping: PathText.pathDelimiters)
        }
        return BytePattern(prefix + pieces, delimiters: [0x2F])
    }
}

extension [UInt8] {
    /// Returns itself, and advances `index` by one.
    fileprivate func moving(_ index: inout Int) -> [UInt8] {
        index += 1
        return self
    }
}
