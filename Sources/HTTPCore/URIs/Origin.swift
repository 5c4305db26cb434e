/// The scheme, host and port of a server (RFC 9110 §4.3.1).
public struct Origin: Hashable, Sendable {
    public let scheme: TargetURI.Scheme
    public let host: [UInt8]
    public let port: UInt16

    public init(_ uri: TargetURI) {
        scheme = uri.scheme
        host = uri.host
        port = uri.port
    }

    /// The usual text, such as `http://origin.example:8080`.
    public var text: String {
        let suffix = port == scheme.defaultPort ? "" : ":\(port)"
        return "\(scheme.text)://\(String(decoding: host, as: UTF8.self))\(suffix)"
    }
}
