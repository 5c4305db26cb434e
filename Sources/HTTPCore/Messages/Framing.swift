/// How a message's content is delimited (RFC 9112 §6).
public enum Framing: Sendable, Hashable {
    /// No content.
    case none
    /// Exactly this many bytes.
    case length(Int64)
    case chunked
    /// Until the connection ends; responses only.
    case untilClose
}

/// The minor version of HTTP/1 as received; a version above 1.1 counts as 1.1.
public enum HTTPVersion: UInt8, Sendable { case http10, http11 }
