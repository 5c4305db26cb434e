public import HTTPCore
import ResourceCore

/// A value that programs pass as a URL: text, or a URL type (S-021).
public protocol URLConvertible: Sendable {
    /// The URL; nil if the value is not one.
    var targetURI: TargetURI? { get }
    /// The value as given.
    var urlText: String { get }
}

extension TargetURI: URLConvertible {
    public var targetURI: TargetURI? { self }
    public var urlText: String { text }
}

/// An absolute `http` or `https` URL in visible ASCII.
///
/// Path and query stay as they are, escapes included (S-010). An invalid URL is not repaired, such as one with a blank
/// or NUL, an unclosed bracket or a port above 65535.
extension String: URLConvertible {
    public var targetURI: TargetURI? { try? TargetURI(parsing: self) }
    public var urlText: String { self }
}

extension Substring: URLConvertible {
    public var targetURI: TargetURI? { String(self).targetURI }
    public var urlText: String { String(self) }
}
