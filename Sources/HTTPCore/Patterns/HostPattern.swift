/// A pattern of hosts with a port, such as `*.example.com`, `api.example.com:8443` or `**`.
///
/// `*` matches any bytes within a label, and `**.` any labels or none, as in URL patterns. A missing port means 443,
/// and `:*` any port. The host `**` without a port matches all hosts at all ports.
public struct HostPattern: Sendable, Hashable {
    /// As written, in lower case.
    public let text: String
    private let globs: [URLGlob]

    public init(_ text: String) throws(URLGlob.SyntaxError) {
        let lowered = text.lowercased()
        guard !lowered.utf8.contains(where: { [0x2F, 0x3F, 0x23, 0x25].contains($0) }) else {
            throw URLGlob.SyntaxError(
                userMessage: "a pattern of hosts has no scheme and no path; it is HOST or HOST:PORT"
            )
        }
        self.text = lowered
        let isAnyPort = lowered.hasSuffix(":*")
        globs =
            [try URLGlob("https://\(lowered)/**")]
            + (isAnyPort ? [try URLGlob("https://\(lowered.dropLast(2))/**")] : [])
    }

    public func matches(_ uri: TargetURI) -> Bool { globs.contains { $0.matches(uri) } }
}
