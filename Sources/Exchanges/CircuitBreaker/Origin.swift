public import HTTPCore

/// What is up or down as a whole: scheme, host and port.
public struct Origin: Hashable, Sendable {
    let scheme: TargetURI.Scheme
    let host: [UInt8]
    let port: UInt16

    public init(_ uri: TargetURI) {
        scheme = uri.scheme
        host = uri.host
        port = uri.port
    }

    /// As people write it, such as `http://origin.example:8080`.
    public var text: String {
        let suffix = port == scheme.defaultPort ? "" : ":\(port)"
        return "\(scheme.text)://\(String(decoding: host, as: UTF8.self))\(suffix)"
    }
}
