/// A target URI in canonical form: the identity of a resource.
///
/// Scheme and host are lower-cased, the default port is dropped, an empty path is `/`; path and query are as sent, a
/// fragment is never there. Nothing else is normalised.
public struct TargetURI: Sendable, Hashable {
    public enum Scheme: UInt8, Sendable {
        case http, https

        public var defaultPort: UInt16 { self == .http ? 80 : 443 }
        public var text: String { self == .http ? "http" : "https" }
    }

    public let scheme: Scheme
    /// The whole URI, such as `http://example.org:8080/a?b`.
    public let octets: [UInt8]
    /// Where the host stands in `octets`, brackets of an IPv6 literal included.
    public let hostRange: Range<Int>
    /// Where path and query stand in `octets`; never empty.
    public let pathRange: Range<Int>
    public let port: UInt16

    /// A URI of parts that are valid already; `host` is lower-cased here, an empty `path` becomes `/`.
    public init(scheme: Scheme, host: [UInt8], port: UInt16, path: [UInt8]) {
        self.scheme = scheme
        self.port = port
        var text = Array(scheme.text.utf8)
        text.append(contentsOf: [0x3A, 0x2F, 0x2F])
        let hostStart = text.count
        text.append(contentsOf: host.map(\.asciiLowercased))
        hostRange = hostStart..<text.count
        if port != scheme.defaultPort { text.append(contentsOf: ":\(port)".utf8) }
        let pathStart = text.count
        text.append(contentsOf: path.isEmpty ? [0x2F] : path)
        pathRange = pathStart..<text.count
        octets = text
    }

    /// Host, and port unless it is the scheme's default: what goes into `Host`.
    public var authority: [UInt8] { Array(octets[hostRange.lowerBound..<pathRange.lowerBound]) }
    public var host: [UInt8] { Array(octets[hostRange]) }
    /// Path and query as they go into an origin-form target.
    public var path: [UInt8] { Array(octets[pathRange]) }
    public var text: String { String(decoding: octets, as: UTF8.self) }

    public static func == (left: TargetURI, right: TargetURI) -> Bool { left.octets == right.octets }
    public func hash(into hasher: inout Hasher) { hasher.combine(octets) }
}
