/// What is stored and for how long.
public struct CacheSettings: Sendable, Equatable {
    /// Part of (Date − Last-Modified) that a response without lifetime is fresh for; 0 to 1.
    public var heuristicFraction = 0.1
    public var heuristicLimit = Duration.seconds(86_400)
    public var variantsPerResource = 16
    /// Names one Vary may nominate.
    public var varyNames = 32
    public var fillPolicy = FillPolicy.auto
    /// With `auto`, a load nobody waits for is finished once this part is there; 0 to 1.
    public var fillFraction = 0.25
    /// With `auto`, a load nobody waits for is finished if no more than this is missing.
    public var fillRemainder = ByteCount.mebibytes(1)
    /// How long a resource remembers that its responses cannot be shared.
    public var hitForMiss = Duration.seconds(10)
    /// Fields besides Authorization and Cookie that identify a user (C-20.1).
    public var credentialFields = [
        "X-Api-Key", "Api-Key", "X-Auth-Token", "X-Access-Token", "Private-Token", "Job-Token", "X-Goog-Api-Key",
        "X-Amz-Security-Token", "Ocp-Apim-Subscription-Key",
    ]
    public var cookies = CookieSharingSetting.byRoute
    public var targetedControl = TargetedControl.services
    /// How long the model takes data without a lifetime of its own for up to date.
    public var expirationTime = Duration.seconds(30)
    /// A stale response may stand in for an error this long after its lifetime, where the response does not say.
    public var staleIfError = Duration.zero
}

/// What becomes of a load nobody waits for any more.
public enum FillPolicy: String, Sendable, CaseIterable {
    /// Finished if enough is there or little is missing.
    case auto
    case finish
    case abandon
}

/// With whom a response to a request with Cookie is shared (C-20.1b).
public enum CookieSharingSetting: String, Sendable, CaseIterable {
    /// As `partition` on forward and prefix routes of listeners beyond loopback, else as `share`.
    case byRoute = "by-route"
    /// With everybody, if it states a lifetime and does not say `private`.
    case share
    /// With nobody, unless it says `public` or `s-maxage`.
    case partition
}

/// Whose CDN-Cache-Control counts (RFC 9213, C-18.6).
public enum TargetedControl: String, Sendable, CaseIterable {
    /// That of origins we work for: named services and `gateway`.
    case services
    case all
    case off
}
