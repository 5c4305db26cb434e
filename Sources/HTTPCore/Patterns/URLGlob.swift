/// A pattern of target URIs, such as `https://*.example.com/repos/**`: the one language of settings and commands.
///
/// docs/patterns.md describes it, with a table of examples that a test compares with this type.
///
/// - `*` stands for any bytes within a path segment, or within a label of the host. `**` stands for any bytes of the
///   path, or of the host. `**/` also stands for nothing, so that `/a/**/b` matches `/a/b`; in the same way
///   `**.example.com` matches `example.com`. `{a,b}` stands for either.
/// - The host `*` or `**` alone is every host, and without a port then at every port. `https://**` is every https URI.
/// - Scheme and host are compared without case, the port as a number. A missing port is the scheme's default, and `:*`
///   is every port. `*` may stand for the scheme. A dot at the end of a host does not count.
/// - The query counts only if the pattern has a `?`; from there on `*` stands for any bytes but `&`.
/// - Escapes are equal to what they stand for, except `%2F`, `%3F`, `%23` and `%25`, and in a query those of all
///   delimiters. Dot segments are removed. So another spelling of a path does not evade a rule.
/// - A pattern without a scheme is relative to a base, with or without a slash at its start: `**` is everything below
///   the base (S-064). Without a base it is compared with the whole text of the URI (S-063).
///
/// A match takes one step per byte for each 64 bytes of the pattern, all alternatives together.
public struct URLGlob: Sendable, Hashable {
    /// Why a text is no pattern.
    public struct SyntaxError: Error, Sendable, Equatable {
        /// A sentence for people.
        public var userMessage: String
        /// The byte of the text where the fault is.
        public var offset = 0
    }

    /// As written.
    public let text: String
    /// The first combination of alternatives, apart from the others: a match of an array's element copies it.
    private let first: GlobBranch
    private let others: [GlobBranch]
    var branches: [GlobBranch] { [first] + others }

    /// A pattern has at most this many bytes.
    public static let limit = 4096

    /// Reads a pattern.
    public init(_ text: String) throws(SyntaxError) {
        let branches = try GlobParser.branches(text)
        self.init(text, branches[0], Array(branches.dropFirst()))
    }

    private init(_ text: String, _ first: GlobBranch, _ others: [GlobBranch]) {
        self.text = text
        self.first = first
        self.others = others
    }

    /// Whether a text of the command line or the admin API is a pattern, not a URL.
    public static func isPattern(_ text: some StringProtocol) -> Bool {
        text.utf8.contains { $0 == 0x2A || $0 == 0x7B }
    }

    /// The pattern in a service with this base (S-056, S-254).
    public func relative(to base: TargetURI?) -> URLGlob {
        guard let base else { return self }
        return URLGlob(text, first.relative(to: base), others.map { $0.relative(to: base) })
    }

    /// Whether it has a scheme, so that its meaning does not depend on a base.
    public var isAbsolute: Bool {
        !branches.contains(where: \.isRelative)
    }

    /// Whether no alternative has a scheme, so that the pattern is always below its base.
    public var isRelative: Bool {
        branches.allSatisfy(\.isRelative)
    }

    /// Whether some alternative names no host, so that URLs of unrelated hosts fit.
    ///
    /// Its host has no text beside wildcards and dots, as in `http://*/**` and `http://**.*/**`; or it has no scheme and
    /// begins with `**`.
    public var hasEveryHost: Bool {
        branches.contains(where: \.hasEveryHost)
    }

    /// Whether each alternative is for every path and query of its origins.
    public var hasEveryPath: Bool { branches.allSatisfy(\.hasEveryPath) }

    /// Whether every URI of this one's origin matches by one alternative, whatever its path and query.
    public func matchesOrigin(of uri: TargetURI) -> Bool {
        var target = MatchedTarget(uri)
        return branches.contains { $0.matchesOrigin(&target) }
    }

    public func matches(_ uri: TargetURI) -> Bool {
        var target = MatchedTarget(uri)
        if first.matches(&target) { return true }
        for other in others where other.matches(&target) { return true }
        return false
    }
}

extension URLGlob.SyntaxError {
    /// The number of the character of `text` where the fault is, from 1.
    public func column(in text: String) -> Int {
        let end = text.utf8.index(text.startIndex, offsetBy: min(offset, text.utf8.count))
        return text[..<end].count + 1
    }

    /// The sentence with the place, for messages of one line.
    public func message(in text: String) -> String { "\(userMessage) (character \(column(in: text)))" }
}
