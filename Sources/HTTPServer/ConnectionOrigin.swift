public import HTTPCore

/// The origin of all requests of a connection inside a CONNECT.
public struct ConnectionOrigin: Sendable, Equatable {
    public let scheme: TargetURI.Scheme
    /// In lower case, with the brackets of an IPv6 literal.
    public let host: [UInt8]
    public let port: UInt16
    /// Scheme and authority in canonical form; an origin-form target appended to it is a target URI.
    public let prefix: [UInt8]

    /// - Parameter host: as in the target of CONNECT; lower-cased here.
    public init(scheme: TargetURI.Scheme, host: [UInt8], port: UInt16) {
        let root = TargetURI(scheme: scheme, host: host, port: port, path: [])
        self.scheme = scheme
        self.host = root.host
        self.port = port
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

    /// The URI of a path, which is empty or begins with `/` or `?`.
    public func uri(path: [UInt8]) -> TargetURI { TargetURI(scheme: scheme, host: host, port: port, path: path) }
}
