import HTTPCore

/// What decides whether a connection fits a request: scheme, host, port, and what TLS is spoken under.
struct Origin: Hashable, Sendable {
    let scheme: TargetURI.Scheme
    /// Lower-cased; IPv6 literals in brackets.
    let host: [UInt8]
    let port: UInt16
    /// The number of the TLS context; 0 without TLS.
    let identity: UInt64

    init(_ uri: TargetURI, identity: UInt64 = 0) {
        scheme = uri.scheme
        host = uri.host
        port = uri.port
        self.identity = identity
    }

    /// Host and port for a person.
    var text: String { "\(String(decoding: host, as: UTF8.self)):\(port)" }
}
