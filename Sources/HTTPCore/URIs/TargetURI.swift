/// A target URI in canonical form: the identity of a resource.
///
/// Scheme and host are lower-cased, the default port and a fragment are dropped, and an empty path is `/`. Path and
/// query are as sent. Nothing else is normalised.
public struct TargetURI: Sendable, Hashable {
    public enum Scheme: UInt8, Sendable {
        case http, https

        public var defaultPort: UInt16 { self == .http ? 80 : 443 }
        public var text: String { self == .http ? "http" : "https" }
        /// The text before the authority.
        var prefix: StaticString { self == .http ? "http://" : "https://" }
    }

    /// The whole URI, such as `http://example.org:8080/a?b`.
    public let bytes: [UInt8]
    // Each stored response has one, so the ranges take few bytes. A host has at most `Authority.hostLimit` bytes.
    private let hostEnd: UInt16
    private let pathStart: UInt16
    public let port: UInt16
    public let scheme: Scheme

    /// Whether it names a host; a parsed URI always does.
    public var hasHost: Bool { hostEnd > scheme.prefix.utf8CodeUnitCount }

    /// The range of the host in `bytes`, with the brackets of an IPv6 literal.
    package var hostRange: Range<Int> { scheme.prefix.utf8CodeUnitCount..<Int(hostEnd) }
    /// The end of scheme and authority in `bytes`; hits read it, and it costs less than `pathRange`.
    package var originEnd: Int { Int(pathStart) }
    /// The range of path and query in `bytes`; never empty.
    package var pathRange: Range<Int> { Int(pathStart)..<questionStart }

    /// Makes a URI of valid parts; lower-cases `host`, and makes `/` of an empty `path`.
    public init(scheme: Scheme, host: [UInt8], port: UInt16, path: [UInt8]) {
        self.scheme = scheme
        self.port = port
        var text: [UInt8] = []
        // Room for prefix, colon and five digits.
        text.reserveCapacity(host.count + path.count + 14)
        ByteScan.append(scheme.prefix, to: &text)
        for byte in host { text.append(byte.asciiLowercased) }
        hostEnd = UInt16(clamping: text.count)
        if port != scheme.defaultPort {
            text.append(0x3A)
            ByteScan.append(decimal: UInt64(port), to: &text)
        }
        pathStart = UInt16(clamping: text.count)
        if path.isEmpty { text.append(0x2F) } else { text.append(contentsOf: path) }
        // It lives as long as the resource: the copy has no spare capacity.
        bytes = [UInt8](copying: text.span)
    }

    /// Makes a URI of the same origin as `other`.
    ///
    /// - Parameters:
    ///   - prefix: the start of the path.
    ///   - path: the rest of it; if both are empty, the path is `/`.
    package init(originOf other: TargetURI, prefix: [UInt8], path: Span<UInt8>) {
        scheme = other.scheme
        port = other.port
        hostEnd = other.hostEnd
        pathStart = other.pathStart
        let origin = other.originEnd
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: origin + max(1, prefix.count + path.count)) { text in
            text.append(copying: other.bytes.span, 0..<origin)
            text.append(copying: prefix.span, 0..<prefix.count)
            text.append(copying: path, 0..<path.count)
            if prefix.isEmpty, path.isEmpty { text.append(0x2F) }
        }
        self.bytes = bytes
    }

    /// Host, and port unless it is the scheme's default: the value of `Host`.
    public var authority: [UInt8] { Array(bytes[hostRange.lowerBound..<pathRange.lowerBound]) }
    public var host: [UInt8] { Array(bytes[hostRange]) }
    /// Path and query as in an origin-form target.
    public var path: [UInt8] { Array(bytes[pathRange]) }
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    public static func == (left: TargetURI, right: TargetURI) -> Bool { left.bytes == right.bytes }
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
