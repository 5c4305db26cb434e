public import Exchanges
public import Foundation
public import HTTPCore
public import ResourceCore
public import ResourceModel

extension URL: URLConvertible {
    /// Nil unless this is an absolute `http` or `https` URL; a fragment is dropped.
    public var targetURI: TargetURI? { try? TargetURI(parsing: absoluteString) }
    public var urlText: String { absoluteString }

    /// The same URL; nil for one that `URL` would not keep as it is, such as with a stray `%`.
    public init?(_ uri: TargetURI) {
        self.init(string: uri.text, encodingInvalidCharacters: false)
        guard absoluteString == uri.text else { return nil }
    }
}

extension TargetURI {
    /// Nil unless `url` is an absolute `http` or `https` URL; a fragment is dropped.
    public init?(_ url: URL) {
        guard let uri = url.targetURI else { return nil }
        self = uri
    }
}

extension Timestamp {
    public init(_ date: Date) { self.init(seconds: date.timeIntervalSince1970) }

    /// The same moment, to the precision of `Date`.
    public var asDate: Date { Date(timeIntervalSince1970: seconds) }
}

extension Resource {
    /// The resource's URL; nil for a resource that has none, or one that `URL` does not keep as it is.
    public var foundationURL: URL? { URL(uri) }
}
