/// Where a Redis server is: `redis://HOST[:PORT]`, `rediss://…` with TLS, or `redis+unix:///PATH`.
public struct SharedServerURL: Sendable, Hashable, CustomStringConvertible {
    public enum Place: Sendable, Hashable {
        /// IPv6 in brackets.
        case host(String, port: UInt16)
        case socket(String)
    }

    public let place: Place
    public let isSecure: Bool

    private static let port: UInt16 = 6379

    /// Nil for any other text, such as a URL with a login or a database.
    public init?(text: String) {
        if let path = text.dropping("redis+unix://") {
            guard path.hasPrefix("/"), path.utf8.count > 1, !path.utf8.contains(0) else { return nil }
            self.init(place: .socket(path), isSecure: false)
        } else if let rest = text.dropping("redis://") {
            self.init(rest, isSecure: false)
        } else if let rest = text.dropping("rediss://") {
            self.init(rest, isSecure: true)
        } else {
            return nil
        }
    }

    /// A node of a cluster: `HOST:PORT`, or a URL with a host.
    public init?(node text: String) {
        if text.contains("://") {
            self.init(text: text)
            if case .socket = place { return nil }
        } else {
            self.init(text, isSecure: false)
        }
    }

    private init?(_ authority: String, isSecure: Bool) {
        let text = authority.hasSuffix("/") ? String(authority.dropLast()) : authority
        guard let parsed = HostAndPort(text: text) else { return nil }
        self.init(place: .host(parsed.host, port: parsed.port ?? Self.port), isSecure: isSecure)
    }

    private init(place: Place, isSecure: Bool) { (self.place, self.isSecure) = (place, isSecure) }

    public var description: String {
        switch place {
        case .host(let host, let port): "redis\(isSecure ? "s" : "")://\(host):\(port)"
        case .socket(let path): "redis+unix://\(path)"
        }
    }
}

extension String {
    /// The rest behind a prefix; nil without it.
    fileprivate func dropping(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
