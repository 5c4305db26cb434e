import Eventing
import HTTPCore

/// What decides whether a connection fits a request: scheme, host, port, route, and TLS context.
///
/// A connection to a parent proxy serves only one origin's requests. So stray bytes of one origin's responses are never
/// taken for another's, and limits apply to each origin. A class, since each request and each connection has one, and
/// most share one.
final class PoolKey: Hashable, Sendable {
    let scheme: TargetURI.Scheme
    /// Lower-cased; IPv6 literals in brackets.
    let host: [UInt8]
    let port: UInt16
    /// The identifier of the TLS context; 0 without TLS.
    let identity: UInt64
    let route: ConnectRoute

    init(_ uri: TargetURI, identity: UInt64 = 0, route: ConnectRoute = .direct) {
        scheme = uri.scheme
        host = uri.host
        port = uri.port
        self.identity = identity
        self.route = route
    }

    static func == (left: PoolKey, right: PoolKey) -> Bool {
        if left === right { return true }
        return left.scheme == right.scheme && left.port == right.port && left.identity == right.identity
            && left.host == right.host && left.route == right.route
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(scheme)
        hasher.combine(host)
        hasher.combine(port)
        hasher.combine(identity)
        hasher.combine(route)
    }

    /// Whether requests for `uri` without a proxy have this key.
    func isDirect(to uri: TargetURI) -> Bool {
        guard scheme == uri.scheme, port == uri.port, route == .direct else { return false }
        let host = host
        return uri.bytes.span.extracting(uri.hostRange).hasSameBytes(as: host.span)
    }

    /// Scheme, host and port, such as `http://origin.example:8080`.
    var name: String { "\(scheme == .https ? "https" : "http")://\(text)" }

    /// The same without the default port, as `Origin` has it.
    var origin: String {
        port == scheme.defaultPort ? "\(scheme.text)://\(String(decoding: host, as: UTF8.self))" : name
    }

    /// Host and port, for messages.
    var text: String { "\(String(decoding: host, as: UTF8.self)):\(port)" }
}
