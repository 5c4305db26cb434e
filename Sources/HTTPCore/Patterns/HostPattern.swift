/// A pattern of hosts with a port, such as `*.example.com`, `api.example.com:8443` or `**`.
///
/// It is the part of a URL pattern between scheme and path, and means the same: see `URLGlob`. A missing port means
/// 443, `:*` every port. The hosts `*` and `**` are every host, without a port at every port. A whole URL pattern is
/// accepted if it does not ask for a path: `https://*.example.com/**`.
public struct HostPattern: Sendable, Hashable {
    /// As written, in lower case.
    public let text: String
    /// The hosts that it names, one for each combination of alternatives; in lower case, without scheme and port.
    public let hosts: [String]
    /// One for each of `hosts`.
    private let branches: [GlobBranch]

    public init(_ text: String) throws(URLGlob.SyntaxError) {
        var hosts: [String] = []
        var branches: [GlobBranch] = []
        for alternative in try GlobParser.alternatives(text) {
            let (host, branch) = try Self.branch(alternative)
            hosts.append(host)
            branches.append(branch)
        }
        self.text = text.lowercased()
        self.hosts = hosts
        self.branches = branches
    }

    private static func branch(_ text: PatternText) throws(URLGlob.SyntaxError) -> (String, GlobBranch) {
        let bytes = text.bytes
        let schemeEnd = GlobParser.endOfScheme(bytes)
        let (authority, target) = GlobParser.split(bytes, schemeEnd ?? 0)
        guard target.isEmpty || (schemeEnd != nil && target.elementsEqual("/**".utf8)) else {
            throw URLGlob.SyntaxError(
                userMessage: "only the host is known here, no path; the pattern is HOST or HOST:PORT",
                offset: text.offset(target.startIndex)
            )
        }
        let (host, port) = try GlobParser.authority(text, authority)
        // `**` is everything.
        var scheme: TargetURI.Scheme? = host == .any ? nil : .https
        if let schemeEnd { scheme = try GlobParser.scheme(text, schemeEnd) }
        let name = text.bytes[try GlobParser.hostRange(text, authority)].map(\.asciiLowercased)
        return (
            String(decoding: name, as: UTF8.self),
            GlobBranch(scheme, host, port, path: nil, query: nil)
        )
    }

    /// Whether some alternative has no text beside wildcards and dots, such as `*`, `**` and `**.*`.
    public var hasEveryHost: Bool {
        branches.contains(where: \.hasEveryHost)
    }

    /// The ports that alternatives name, except where they mean the scheme's own port or every port.
    public var ports: [UInt16] {
        branches.compactMap { if case .number(let port) = $0.port { port } else { nil } }
    }

    /// Whether some alternative names a port, or every port behind a host.
    public var hasPort: Bool {
        branches.contains { $0.port != .standard && !($0.host == .any && $0.port == .every) }
    }

    public func matches(_ uri: TargetURI) -> Bool {
        var target = MatchedTarget(uri)
        for index in branches.indices where branches[index].matches(&target) { return true }
        return false
    }

    /// Whether the pattern names this host, at whatever port and with whatever scheme.
    ///
    /// - Parameter host: in lower case.
    public func matches(host: [UInt8]) -> Bool {
        let uri = TargetURI(scheme: .https, host: host, port: 443, path: [])
        return branches.contains { $0.host.matches(uri) }
    }
}
