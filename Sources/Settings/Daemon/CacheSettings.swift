/// What is stored and for how long.
public struct CacheSettings: Sendable, Equatable {
    /// The lifetime of a response that states none, as a fraction of Date − Last-Modified; 0 to 1.
    public var heuristicFraction = 0.1
    public var heuristicLimit = Duration.seconds(86_400)
    public var variantsPerResource = 16
    /// Fields that one Vary may name.
    public var varyNames = 32
    public var fillPolicy = FillPolicy.auto
    /// With `auto`, a load that nobody waits for is finished if this fraction has arrived; 0 to 1.
    public var fillFraction = 0.25
    /// With `auto`, a load that nobody waits for is finished if no more than this is missing.
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
    /// How long data without a lifetime of its own is up to date in the model.
    public var expirationTime = Duration.seconds(30)
    /// How long after its lifetime a response may replace an error, unless the response says so itself.
    public var staleIfError = Duration.zero
}

/// What happens to a load that nobody waits for any more.
public enum FillPolicy: String, Sendable, CaseIterable {
    /// It is finished if enough has arrived or little is missing.
    case auto
    case finish
    case abandon
}

/// Who shares a response to a request with Cookie (C-20.1b).
public enum CookieSharingSetting: String, Sendable, CaseIterable {
    /// Like `partition` on forward and prefix routes of listeners beyond loopback, else like `share`.
    case byRoute = "by-route"
    /// Everybody, if it states a lifetime and is not `private`.
    case share
    /// Nobody, unless it has `public` or `s-maxage`.
    case partition
}

/// Whose CDN-Cache-Control is obeyed (RFC 9213, C-18.6).
public enum TargetedControl: String, Sendable, CaseIterable {
    /// That of named services and of `gateway`.
    case services
    case all
    case off
}
