public import Exchanges
public import HTTPCore
import ResourceCore

/// A named service: an API with a base of its own, reached on our own address.
///
/// By path it is `/NAME/rest`, by host `http://NAME.localhost/rest`. Both mean `rest` below the base, the same Resource
/// as on every other route (S-001). Its fields go only with requests that use its own path or host.
public struct ServiceRoute: Sendable {
    /// A label of a host name in lower case: 1 to 63 of `a`…`z`, `0`…`9` and `-` inside (RFC 1123 §2.1).
    public var name: String
    /// An absolute URI without query; a slash at its end means nothing.
    public var base: TargetURI
    /// Fields, such as a credential, that replace the client's of the same names in each request.
    ///
    /// Their values are in no log, error or listing. A service with any has partitions of its own.
    public var injected: [(name: [UInt8], value: [UInt8])]
    /// Makes the field Authorization of each request, in place of the client's; otherwise like `injected`.
    public var credential: (any CredentialSource)?
    /// Names the certificate that its requests present to the origin; otherwise like `injected`.
    public var identity: String?
    /// Distinguishes that certificate from others under the same name: responses to one are not for another.
    public var identityMark: [UInt8]
    /// Whether requests for URIs below the base get the fields on every route.
    public var injectsEverywhere: Bool
    /// Origins of web pages that may use a service with injected fields, such as `https://app.example`; lower-case.
    ///
    /// `*` means all.
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

    /// Whether it adds anything to requests.
    public var injects: Bool { !injected.isEmpty || credential != nil || identity != nil }
}
