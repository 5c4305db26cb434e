import HTTPCore

/// What decides whether a connection fits a request: scheme, host and port.
struct Origin: Hashable, Sendable {
    let scheme: TargetURI.Scheme
    /// Lower-cased; IPv6 literals in brackets.
    let host: [UInt8]
    let port: UInt16

    init(_ uri: TargetURI) {
        scheme = uri.scheme
        host = uri.host
        port = uri.port
    }

    /// Host and port for a person.
    var text: String { "\(String(decoding: host, as: UTF8.self)):\(port)" }
}
