import Eventing
import HTTPCore

/// What decides whether a connection fits a request: scheme, host, port, the way there, and what TLS is spoken under.
///
/// A connection to a parent proxy serves one origin's requests only: what goes wrong with one origin's responses then
/// cannot be taken for another's, and limits are an origin's. An object, since each request and each connection has one, and
/// most have the same.
final class PoolKey: Hashable, Sendable {
    let scheme: TargetURI.Scheme
    /// Lower-cased; IPv6 literals in brackets.
    let host: [UInt8]
    let port: UInt16
    /// The number of the TLS context; 0 without TLS.
    let identity: UInt64
    let way: ConnectWay

    init(_ uri: TargetURI, identity: UInt64 = 0, way: ConnectWay = .direct) {
        scheme = uri.scheme
        host = uri.host
        port = uri.port
        self.identity = identity
        self.way = way
    }

    static func == (left: PoolKey, right: PoolKey) -> Bool {
        if left === right { return true }
        return left.scheme == right.scheme && left.port == right.port && left.identity == right.identity
            && left.host == right.host && left.way == right.way
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(scheme)
        hasher.combine(host)
        hasher.combine(port)
        hasher.combine(identity)
        hasher.combine(way)
    }

    /// Whether it is the origin of this URI, reached without a proxy.
    func isDirect(to uri: TargetURI) -> Bool {
        guard scheme == uri.scheme, port == uri.port, way == .direct else { return false }
        let host = host
        return uri.bytes.span.extracting(uri.hostRange).hasSameBytes(as: host.span)
    }

    /// Scheme, host and port, such as `http://origin.example:8080`.
    var name: String { "\(scheme == .https ? "https" : "http")://\(text)" }

    /// Host and port for a person.
    var text: String { "\(String(decoding: host, as: UTF8.self)):\(port)" }
}
