/// Questions: requests whose content belongs to the cache key, such as QUERY (RFC 10008).
///
/// Each has an identity of its own: that of its target with method and digest in place of a fragment, such as
/// `http://example.org/search#QUERY:9f86…`. No other target URI contains a `#`, so no client can name one by its target.
extension TargetURI {
    /// The digits of a digest: SHA-256 in hexadecimal.
    static let digestDigits = 64

    /// The offset of the `#` in `bytes`; the number of bytes if this is no question.
    var questionStart: Int {
        let bytes = bytes.span
        let colon = bytes.count - Self.digestDigits - 1
        guard colon > 16, bytes[colon] == 0x3A else { return bytes.count }
        // "#POST" and "#QUERY".
        if bytes[colon - 5] == 0x23 { return colon - 5 }
        return bytes[colon - 6] == 0x23 ? colon - 6 : bytes.count
    }

    /// Whether it identifies a question.
    public var isQuestion: Bool { questionStart < bytes.count }

    /// The target of the question that it identifies; other URIs are their own.
    public var withoutQuestion: TargetURI {
        isQuestion ? TargetURI(scheme: scheme, host: host, port: port, path: path) : self
    }

    /// Whether it identifies a question to `target`.
    public func isQuestion(of target: TargetURI) -> Bool {
        let start = questionStart
        return start < bytes.count && bytes.span.extracting(0..<start).hasSameBytes(as: target.bytes.span)
    }
}
