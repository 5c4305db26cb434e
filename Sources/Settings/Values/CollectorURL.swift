/// The URL of a collector of OpenTelemetry, to which paths such as `/v1/traces` are appended.
public struct CollectorURL: Sendable, Hashable, CustomStringConvertible {
    public let origin: GatewayOrigin
    /// Without a `/` at the end; often empty.
    public let path: String

    /// Reads `http://HOST[:PORT][/PATH]` or `https://…`; nil for anything else, such as a URL with a password or query.
    public init?(text: String) {
        let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, let origin = GatewayOrigin(text: parts[..<3].joined(separator: "/")) else { return nil }
        var path = parts.count == 4 ? "/\(parts[3])" : ""
        while path.hasSuffix("/") { path.removeLast() }
        guard path.utf8.allSatisfy({ 0x21...0x7E ~= $0 && !"?#\\\"<>^`{|}".utf8.contains($0) }) else { return nil }
        self.origin = origin
        self.path = path
    }

    public var description: String { "\(origin)\(path)" }
}
