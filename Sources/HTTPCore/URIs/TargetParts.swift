/// Scheme, authority and path of a request, as ranges of the bytes of its head.
public struct TargetParts: Sendable, Equatable {
    /// The scheme of an absolute-form target; nil in the other forms.
    public var scheme: TargetURI.Scheme?
    /// The host, from the target or otherwise from `Host`; empty if there is none (HTTP/1.0).
    public var host: Range<Int>
    /// The port, if the text has one.
    public var port: UInt16?
    /// Path and query as sent; empty, or begins with `/` or `?`.
    public var path: Range<Int>

    public init(
        scheme: TargetURI.Scheme? = nil,
        host: Range<Int> = 0..<0,
        port: UInt16? = nil,
        path: Range<Int> = 0..<0
    ) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
    }
}
