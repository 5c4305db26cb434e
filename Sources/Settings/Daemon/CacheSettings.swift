/// What is stored and for how long.
public struct CacheSettings: Sendable, Equatable {
    /// The lifetime of a response that states none, as a fraction of Date − Last-Modified; 0 to 1.
    public var heuristicFraction = 0.1
    public var heuristicLimit = Duration.seconds(86_400)
    public var variantsPerResource = 16
    /// The most questions to one URL in memory.
    public var questionsPerResource = 100_000
    /// The most fields that one Vary may name.
    public var varyNames = 32
    public var fillPolicy = FillPolicy.auto
    /// With `auto`, a load that nobody waits for is finished if this fraction has been received; 0 to 1.
    public var fillFraction = 0.25
    /// With `auto`, a load that nobody waits for is finished if no more than this is missing.
    public var fillRemainder = ByteCount.mebibytes(1)
    /// How long a resource remembers that its responses cannot be shared.
    public var hitForMiss = Duration.seconds(10)
    /// Fields other than Authorization and Cookie that identify a user (C-20.1).
    public var credentialFields = [
        "X-Api-Key", "Api-Key", "X-Auth-Token", "X-Access-Token", "Private-Token", "Job-Token", "X-Goog-Api-Key",
        "X-Amz-Security-Token", "Ocp-Apim-Subscription-Key",
    ]
    public var cookies = CookieSharingSetting.byRoute
    public var targetedControl = TargetedControl.services
    /// How long data without a lifetime of its own is up to date in the model.
    public var expirationTime = Duration.seconds(30)
    /// How long after its lifetime a response may replace an error, unless the response states that time.
    public var staleIfError = Duration.zero
}

/// What happens to a load that nobody waits for any more.
public enum FillPolicy: String, Sendable, CaseIterable {
    /// The load is finished if enough was received or little is missing.
    case auto
    case finish
    case abandon
}

/// Which requests share a response to a request with Cookie (C-20.1b).
public enum CookieSharingSetting: String, Sendable, CaseIterable {
    /// Like `partition` on forward and prefix routes of listeners beyond loopback, otherwise like `share`.
    case byRoute = "by-route"
    /// All requests, if it states a lifetime and is not `private`.
    case share
    /// Only requests with the same Cookie, unless it has `public` or `s-maxage`.
    case partition
}

/// Which CDN-Cache-Control fields count (RFC 9213, C-18.6).
public enum TargetedControl: String, Sendable, CaseIterable {
    /// Those of named services and of `gateway`.
    case services
    case all
    case off
}
