public import Exchanges
public import HTTPCore
import ResourceCore

/// A named service: an API with a base of its own, reached on our own address.
///
/// By path, `/NAME/rest`, and by host, `http://NAME.localhost/rest`; both mean `rest` behind the base, the same Resource
/// as on every other route (S-001). What it injects goes with requests that came by the service's own path or host.
public struct ServiceRoute: Sendable {
    /// A label of a host name in lower case: 1 to 63 of `a`…`z`, `0`…`9` and `-` inside (RFC 1123 §2.1).
    public var name: String
    /// An absolute URI without query; a slash at its end means nothing.
    public var base: TargetURI
    /// Fields put into each request in place of the client's of that name, such as a credential.
    ///
    /// Their values are in no log, error or listing. A service with any has partitions of its own.
    public var injected: [(name: [UInt8], value: [UInt8])]
    /// Puts the field Authorization into each request besides, in place of the client's; like the fields else.
    public var credential: (any CredentialSource)?
    /// Names the certificate its requests show to the origin; like the fields else.
    public var identity: String?
    /// Tells that certificate from others there may be under the same name: what came with one is not for another.
    public var identityMark: [UInt8]
    /// Whether requests for URIs below the base get the fields on every other route too.
    public var injectsEverywhere: Bool
    /// Origins of web pages that may use a service with injected fields, such as `https://app.example`; lower-case.
    ///
    /// `*` stands for all.
    public var allowOrigins: [[UInt8]]

    public init(
        name: String,
        base: TargetURI,
        injected: [(name: [UInt8], value: [UInt8])] = [],
        credential: (any CredentialSource)? = nil,
        identity: String? = nil,
        identityMark: [UInt8] = [],
        injectsEverywhere: Bool = false,
        allowOrigins: [[UInt8]] = []
    ) {
        self.name = name
        self.base = base
        self.injected = injected
        self.credential = credential
        self.identity = identity
        self.identityMark = identityMark
        self.injectsEverywhere = injectsEverywhere
        self.allowOrigins = allowOrigins.map { $0.map(\.asciiLowercased) }
    }

    /// Whether it puts anything into requests.
    public var injects: Bool { !injected.isEmpty || credential != nil || identity != nil }
}
