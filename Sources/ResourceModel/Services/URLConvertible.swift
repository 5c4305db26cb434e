public import HTTPCore
import ResourceCore

/// What programs give where a URL is wanted: text or a URL value (S-021).
public protocol URLConvertible: Sendable {
    /// The URL; nil if this is none.
    var targetURI: TargetURI? { get }
    /// As given.
    var urlText: String { get }
}

extension TargetURI: URLConvertible {
    public var targetURI: TargetURI? { self }
    public var urlText: String { text }
}

/// An absolute `http` or `https` URL in visible ASCII.
///
/// Path and query are taken as they are, escapes included (S-010); what is no URL, such as text with a blank or NUL, an
/// unclosed bracket or a port above 65535, is not mended.
extension String: URLConvertible {
    public var targetURI: TargetURI? { try? TargetURI(parsing: self) }
    public var urlText: String { self }
}

extension Substring: URLConvertible {
    public var targetURI: TargetURI? { String(self).targetURI }
    public var urlText: String { String(self) }
}
