public import Exchanges
public import HTTPCaching
public import Transforms

/// Whether the origin may be asked (C-25.2).
public enum ServiceMode: String, Sendable, CaseIterable {
    case online, auto, offline, replay

    /// Whether connections to the origin are made at all.
    public var mayLoad: Bool { self == .online || self == .auto }
}

/// How the resources of a service are loaded and reused.
///
/// Other modules add values of their own by a `ConfigurationKey`.
public struct Configuration: Sendable {
    /// How long data without a lifetime of its own is up to date for `loadIfNeeded`, and a local override for everybody
    /// (S-040); an age equal to it still is.
    public var expirationTime = Duration.seconds(30)
    /// How long a failed load is remembered (S-041).
    public var retryTime = Duration.seconds(1)
    public var caching = CachingOptions()
    public var mode = ServiceMode.auto
    /// Variants one resource holds; the least recently used leaves.
    public var variantLimit = 16
    /// How long a response that nobody may share keeps requests from waiting for each other (C-23.4).
    public var hitForMissTime = Duration.seconds(10)
    /// Requests that may wait for one load (H-134).
    public var waiterLimit = 10_000
    public var body = GrowingBody.Limits()
    /// Bytes the origin may send before the first grant.
    public var initialCredit = 256 * 1024
    /// What an abandoned load may still miss to be finished all the same.
    public var fillRemainder: Int64 = 1024 * 1024
    /// The part of the content, in percent, from which on an abandoned load is finished.
    public var fillPercent: Int64 = 25

    /// How responses are changed for clients.
    public var pipeline = Pipeline()
    public var transformLimits = TransformLimits()

    /// How requests to the origin are made.
    public var policies = ExchangePolicies()

    /// How long an abandoned load may take to be finished.
    public var fillTime = Duration.seconds(300)

    /// What other modules have added.
    var added: [ObjectIdentifier: AddedValue] = [:]

    public init() {}
}
