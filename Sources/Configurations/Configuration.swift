package import Exchanges
package import HTTPCaching
package import HTTPCore
public import Transforms

/// Whether a service may ask the origin (C-25.2).
public enum ServiceMode: String, Sendable, CaseIterable {
    case online, auto, offline, replay

    /// Whether loads may ask the origin.
    package var mayLoad: Bool { self == .online || self == .auto }
}

/// How the resources of a service are loaded and reused.
///
/// Other modules add values of their own by a `ConfigurationKey`.
public struct Configuration: Sendable {
    /// Changes a configuration.
    public typealias Change = @Sendable (inout Configuration) -> Void

    /// How long data without a lifetime of its own is up to date for `loadIfNeeded` (S-040).
    ///
    /// A local override is fresh for clients equally long. An age equal to it is still up to date.
    public var expirationTime = Duration.seconds(30)
    /// How long a failed load is remembered (S-041).
    public var retryTime = Duration.seconds(1)
    package var caching = CachingOptions()
    public var mode = ServiceMode.auto
    /// The most variants of one resource in memory; beyond it the least recently used one is dropped.
    package var variantLimit = 16
    /// The most questions to one target in memory; beyond it the oldest are dropped.
    package var questionLimit = 100_000
    /// After a response that may not be shared, how long requests do not wait for each other's loads (C-23.4).
    package var hitForMissTime = Duration.seconds(10)
    /// The most requests that may wait for one load (H-134).
    package var waiterLimit = 10_000
    package var body = GrowingBody.Limits()
    /// How many bytes of content the origin may send before its reader asks for more.
    package var initialCredit = 256 * 1024
    /// An abandoned load is still finished if fewer bytes than this are missing.
    package var fillRemainder: Int64 = 1024 * 1024
    /// An abandoned load is still finished once this percentage of the content has come.
    package var fillPercent: Int64 = 25

    /// How responses are transformed for clients.
    public var pipeline = Pipeline()
    package var transformLimits = TransformLimits()

    /// How requests to the origin are made.
    package var policies = ExchangePolicies()

    /// How long an abandoned load may take to finish.
    package var fillTime = Duration.seconds(300)

    /// Changes to the fields of requests, before anything is looked up.
    package var requestEdits: [FieldEdits] = []

    /// Whether rules act on each request before it is answered; the table then shows no shared hits.
    package var actsOnRequests = false

    /// Values that other modules added.
    var added: [ObjectIdentifier: AddedValue] = [:]

    public init() {}
}
