public import HTTPCore

/// The origin of all requests of a connection inside a CONNECT.
public struct ConnectionOrigin: Sendable, Equatable {
    public let scheme: TargetURI.Scheme
    /// In lower case, with the brackets of an IPv6 literal.
    public let host: [UInt8]
    public let port: UInt16
    /// Scheme and authority in canonical form; an origin-form target appended to it is a target URI.
    public let prefix: [UInt8]
    /// Whether the client gave an address: then requests may name any host, at this port.
    public let acceptsNames: Bool

    /// - Parameters:
    ///   - host: as in the target of CONNECT; lower-cased here.
    ///   - acceptsNames: whether a request's own host replaces `host`.
    public init(scheme: TargetURI.Scheme, host: [UInt8], port: UInt16, acceptsNames: Bool = false) {
        let root = TargetURI(scheme: scheme, host: host, port: port, path: [])
        self.scheme = scheme
        self.host = root.host
        self.port = port
        self.acceptsNames = acceptsNames
        prefix = Array(root.bytes[..<root.pathRange.lowerBound])
    }

    /// Whether a head names this authority, by its target or else by `Host`.
    ///
    /// Also true if it names none.
    public func isNamed(in head: RequestHead) -> Bool {
        let range = head.parts.host
        guard !range.isEmpty else { return !head.fields.contains(.host) }
        guard (head.parts.scheme ?? scheme) == scheme, (head.parts.port ?? scheme.defaultPort) == port,
            range.count == host.count
        else { return false }
        let bytes = head.fields.bytes.span
        for index in host.indices where bytes[range.lowerBound + index].asciiLowercased != host[index] { return false }
        return true
    }

    /// The origin that a head names: this one, or another if a client of SOCKS has looked up the name itself.
    ///
    /// The other one is looked up anew, so that the address a client gives brings nothing into the store of a name.
    /// Returns nil if the head names an authority that this connection is not for.
    public func named(in head: RequestHead) -> ConnectionOrigin? {
        if isNamed(in: head) { return self }
        guard acceptsNames, !head.parts.host.isEmpty, (head.parts.scheme ?? scheme) == scheme,
            (head.parts.port ?? scheme.defaultPort) == port
        else { return nil }
        return ConnectionOrigin(scheme: scheme, host: Array(head.fields.bytes[head.parts.host]), port: port)
    }

    /// The URI of a path, which is empty or begins with `/` or `?`.
    public func uri(path: [UInt8]) -> TargetURI { TargetURI(scheme: scheme, host: host, port: port, path: path) }
}
