public import HTTPCore

/// The origin of a reverse proxy, with a path to which all targets are appended.
public struct GatewayBase: Sendable, Equatable {
    /// The configured URI; its path ends in a slash.
    public let base: TargetURI
    /// Canonical, without a slash at the end; an origin-form target appended to it is a target URI.
    private let prefix: [UInt8]
    /// Lower-cased; an IPv6 literal in brackets.
    private let host: [UInt8]
    /// The path of the base, without the slash at the end.
    private let pathPrefix: [UInt8]

    /// - Parameter base: an absolute URI without query.
    public init(_ base: TargetURI) {
        var path = base.path
        if path.last != 0x2F { path.append(0x2F) }
        self.base = TargetURI(scheme: base.scheme, host: base.host, port: base.port, path: path)
        prefix = Array(self.base.bytes.dropLast())
        host = self.base.host
        pathPrefix = Array(self.base.path.dropLast())
    }

    /// Whether the absolute-form target of a request is at this origin.
    func isTarget(of head: RequestHead) -> Bool { (head.parts.scheme ?? .http) == base.scheme && isNamed(in: head) }

    /// Whether the authority of a request is this origin's.
    func isNamed(in head: RequestHead) -> Bool {
        guard (head.parts.port ?? base.scheme.defaultPort) == base.port, head.parts.host.count == host.count else {
            return false
        }
        let bytes = head.fields.bytes.span
        let start = head.parts.host.lowerBound
        for index in host.indices where bytes[start + index].asciiLowercased != host[index] { return false }
        return true
    }

    /// The authority in `Host`, in lower case, if it is another than this origin's.
    func foreignAuthority(of head: RequestHead) -> [UInt8]? {
        guard !head.parts.host.isEmpty, !isNamed(in: head) else { return nil }
        let port = head.parts.port.map { Array(":\($0)".utf8) } ?? []
        return head.fields.bytes[head.parts.host].map(\.asciiLowercased) + port
    }

    /// Appends the URI that an origin-form target refers to.
    func appendTarget(of head: RequestHead, to key: inout [UInt8]) {
        key.append(copying: prefix.span, head.fields.bytes.span.extracting(head.parts.path))
    }

    /// The origin-form target for a URI; nil if the URI is not below the base.
    func rest(of uri: TargetURI) -> ArraySlice<UInt8>? {
        guard uri.bytes.starts(with: prefix), uri.bytes.dropFirst(prefix.count).first == 0x2F else { return nil }
        return uri.bytes[prefix.count...]
    }

    /// The URI that an origin-form target refers to.
    ///
    /// Inlined, since a call would retain each part of the base.
    @inline(__always)
    func target(of head: RequestHead) -> TargetURI {
        let path = head.fields.bytes.span.extracting(head.parts.path)
        return TargetURI(originOf: base, prefix: pathPrefix, path: path)
    }
}
