import HTTPCore

/// The URL of a package index, as its tool names it.
public struct PackageIndexURL: Sendable, Hashable {
    /// Without user name, password, query and fragment; a `/` at the end is kept.
    public let text: String
    /// Whether the URL had a user name, and so perhaps a password.
    public let hasUser: Bool

    /// Returns nil for what is no absolute http or https URL, or no URL that a pattern can hold.
    ///
    /// A URL that asks a prefix gateway of this machine is taken for the URL that the gateway asks.
    public init?(_ url: String) {
        guard let mark = url.firstRange(of: "://") else { return nil }
        let scheme = url[..<mark.lowerBound].lowercased()
        let rest = url[mark.upperBound...].prefix { $0 != "?" && $0 != "#" }
        let authority = rest.prefix { $0 != "/" }
        let path = rest[authority.endIndex...]
        let host = authority.lastIndex(of: "@").map { authority[$0...].dropFirst() } ?? authority
        if Self.leadsThroughGateway(host, path) {
            guard let inner = PackageIndexURL(String(path.dropFirst())) else { return nil }
            self = inner
            return
        }
        self.init(scheme: scheme, host: host.lowercased(), path: path, hasUser: host.count < authority.count)
    }

    private init?(scheme: String, host: String, path: Substring, hasUser: Bool) {
        let text = "\(scheme)://\(host)\(path.isEmpty ? "/" : path)"
        guard scheme == "http" || scheme == "https", !text.contains(where: { "*{}".contains($0) }) else {
            return nil
        }
        guard (try? TargetURI(parsing: text)) != nil, (try? URLGlob(text)) != nil else { return nil }
        self.text = text
        self.hasUser = hasUser
    }

    /// Whether the URL asks a prefix gateway of this machine: `http://127.0.0.1:3128/https://index.example/`.
    private static func leadsThroughGateway(_ host: Substring, _ path: Substring) -> Bool {
        ["127.0.0.1", "localhost", "[::1]"].contains { host == $0 || host.hasPrefix("\($0):") }
            && ["/http://", "/https://"].contains { path.hasPrefix($0) }
    }

    /// The URL with a `/` at its end.
    public var directory: String { text.hasSuffix("/") ? text : text + "/" }

    /// The host without its port; nil if the URL has a path.
    public var bareHost: String? {
        guard let mark = text.firstRange(of: "://"), text.hasSuffix("/") else { return nil }
        let authority = text[mark.upperBound...].dropLast()
        guard !authority.contains("/"), !authority.hasPrefix("[") else { return nil }
        return String(authority.prefix { $0 != ":" })
    }

    /// The URL above the last part of the path.
    public var parent: String {
        let bare = text.hasSuffix("/") ? text.dropLast() : text[...]
        guard let slash = bare.lastIndex(of: "/"), bare[..<slash].hasSuffix("/") == false else { return directory }
        return String(bare[...slash])
    }

    /// The last part of the path; empty if there is none.
    public var lastPart: Substring {
        let bare = text.hasSuffix("/") ? text.dropLast() : text[...]
        return directory == parent ? "" : bare[(bare.lastIndex(of: "/") ?? bare.startIndex)...].dropFirst()
    }
}
