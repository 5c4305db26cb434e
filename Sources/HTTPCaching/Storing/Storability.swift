import HTTPCore

/// Which requests a response is stored for (C-20.1).
public enum PartitionClass: Sendable, Hashable {
    /// All requests.
    case shared
    /// Requests with the same credential, whatever their Cookie (P1).
    case credential
    /// Requests with the same credential fields, Cookie among them (P2).
    case personal
}

/// Whether a response may be stored, for whom, and why (RFC 9111 §3).
public enum Storability: Sendable, Equatable {
    case store(PartitionClass, StoringReason)
    case refuse(RefusalReason)

    public var partition: PartitionClass? {
        switch self {
        case .store(let partition, _): partition
        case .refuse: nil
        }
    }

    /// The reason code in Cache-Status; nil if there is nothing to say.
    ///
    /// - Parameter isStored: whether the response is being stored.
    package func detail(isStored: Bool) -> String? {
        switch self {
        case .refuse(let reason): reason.rawValue
        case .store(_, .cacheEven) where isStored: StoringReason.cacheEven.rawValue
        case .store: nil
        }
    }
}

/// Why a response is stored where it is; the raw value is the word for `explain` and Cache-Status.
public enum StoringReason: String, Sendable {
    case shareable
    /// The response to a request with credentials has `public`, `must-revalidate` or `s-maxage`.
    case sharedDespiteAuthorization = "shared-despite-authorization"
    case authorization
    case responsePrivate = "private"
    case setCookie = "set-cookie"
    /// The request has a Cookie, and the response states no lifetime, or cookies have partitions of their own.
    case cookie
    /// A rule stores it despite the origin's fields, for requests without a credential or for that of its request.
    case cacheEven = "cache-even"
}

/// Why a response is not stored; the raw value is the word for `explain` and Cache-Status.
public enum RefusalReason: String, Sendable {
    case interim
    case method
    case requestNoStore = "request-no-store"
    case noStore = "no-store"
    case statusNotUnderstood = "status-not-understood"
    case statusNotCacheable = "status-not-cacheable"
    /// A 206 of several parts, or one that the request did not ask for.
    case partialContent = "partial-content"
    /// A 206 whose Content-Range is missing, malformed, or contradicts the content.
    case contentRange = "content-range"
    /// A part of a response that is stored as a whole, and not known to be out of date.
    case wholeIsStored = "whole-is-stored"
    /// 304, 407, 412, 416 or 417: about one request, not the resource.
    case statusForOneRequest = "status-for-one-request"
    case varyAny = "vary-any"
    case varyTooLong = "vary-too-long"
    case privateWithoutCredential = "private"
    case setCookie = "set-cookie"
    case eventStream = "event-stream"
    case noLifetimeNoValidator = "no-lifetime-no-validator"
    case noCacheWithoutValidator = "no-cache-without-validator"
    case zeroLifetimeNoValidator = "zero-lifetime-no-validator"
    /// A rule forbids caching.
    case neverCache = "never-cache"
    /// Its content does not fit into the store, or into memory if there is no store.
    case tooLarge = "too-large"
    /// POST whose response is not a representation of its target (RFC 9110 §9.3.3).
    case notTheTarget = "not-the-target"
}

extension ResponseMetadata {
    /// Decides whether this response to `request` may be stored and reused for GET and HEAD.
    ///
    /// - Parameter extent: the bytes of a 206, which is refused without it (RFC 9111 §3.3).
    public func storability(
        for request: RequestProfile,
        options: CachingOptions,
        extent: ContentExtent? = nil
    ) -> Storability {
        guard request.method == .get else { return .refuse(.method) }
        if status == 206, extent == nil { return .refuse(.partialContent) }
        return storabilityOfContent(for: request, options: options)
    }

    /// The same, whatever the method and the part.
    func storabilityOfContent(for request: RequestProfile, options: CachingOptions) -> Storability {
        if let reason = prohibition(request, options) ?? uselessness(options) { return .refuse(reason) }
        return partition(request, options)
    }

    /// Decides whether this response, which is stored, may stay stored.
    ///
    /// - Parameter isShared: whether it is stored for all requests.
    public func mayStay(isShared: Bool, options: CachingOptions) -> Bool {
        if isNeverCached || isForbidden || vary.isAny || vary.names.count > options.varyNameLimit { return false }
        if isEventStream, !isRecordedStream { return false }
        guard hasSetCookie else { return true }
        switch setCookiePolicy(options) {
        case .refuse: return false
        case .private: return !isShared
        case .careful: return !isShared || mayShareSetCookie(options)
        case .reuse, .strip: return true
        }
    }

    // MARK: Obstacles

    private func prohibition(_ request: RequestProfile, _ options: CachingOptions) -> RefusalReason? {
        if status < 200 { return .interim }
        if StatusCodes.isForOneRequest(status) { return .statusForOneRequest }
        if request.directives.noStore { return .requestNoStore }
        if isForbidden { return control.flags.contains(.mustUnderstand) ? .statusNotUnderstood : .noStore }
        if isNeverCached { return .neverCache }
        if vary.isAny { return .varyAny }
        if vary.names.count > options.varyNameLimit { return .varyTooLong }
        return isEventStream && !isRecordedStream ? .eventStream : nil
    }

    /// Whether the origin forbids storing it.
    private var isForbidden: Bool {
        // With an understood status, no-store is only for caches that do not know must-understand.
        control.flags.contains(.mustUnderstand)
            ? !StatusCodes.isUnderstood(status) : control.flags.contains(.noStore)
    }

    /// Why a stored response could never be reused; nil if it could.
    private func uselessness(_ options: CachingOptions) -> RefusalReason? {
        let mayGuess = StatusCodes.isHeuristicallyCacheable(status) || control.flags.contains(.isPublic)
        if !isLifetimeStated, !mayGuess { return .statusNotCacheable }
        if hasValidator { return nil }
        if control.flags.contains(.noCache) { return .noCacheWithoutValidator }
        guard isLifetimeStated else { return hasStaleWindowByRule ? nil : .noLifetimeNoValidator }
        if lifetimeSeconds > 0 || hasStaleWindow(options) { return nil }
        return .zeroLifetimeNoValidator
    }

    /// Whether a rule allows its use when stale; without a lifetime it is stale at once.
    private var hasStaleWindowByRule: Bool {
        max(applied?.staleIfError?.seconds ?? 0, applied?.staleWhileRevalidate?.seconds ?? 0) > 0
    }

    private func hasStaleWindow(_ options: CachingOptions) -> Bool {
        let revalidate = ownStaleWhileRevalidateSeconds ?? 0
        return max(revalidate, staleIfErrorSeconds(options)) > 0
    }

    // MARK: Partition

    private func partition(_ request: RequestProfile, _ options: CachingOptions) -> Storability {
        let credentials = request.credentials
        let isPrivate = control.flags.contains(.isPrivate)
        if isPrivate, credentials.isEmpty, !(isLifted(.responsePrivate) && options.isLoopbackListener) {
            return .refuse(.privateWithoutCredential)
        }
        if hasSetCookie, let refusal = cookieRefusal(request, options) { return .refuse(refusal) }
        if isPrivate { return .store(.personal, credentials.isEmpty ? .cacheEven : .responsePrivate) }
        if credentials.isEmpty { return .store(.shared, isKeptAgainstOrigin ? .cacheEven : .shareable) }
        if hasSetCookie { return .store(.personal, .setCookie) }
        if isKeptAgainstOrigin { return .store(.personal, .cacheEven) }
        if credentials.contains(.cookie), !isLifetimeGivenByOrigin { return .store(.personal, .cookie) }
        if belongsToCookies(of: request, options) { return .store(.personal, .cookie) }
        guard credentials.contains(.authorization) else { return .store(.shared, .shareable) }
        return control.permitsSharingDespiteAuthorization
            ? .store(.shared, .sharedDespiteAuthorization) : .store(.credential, .authorization)
    }

    /// Whether the origin states the lifetime; if a rule's lifetime counts, whether the origin states a positive one.
    private var isLifetimeGivenByOrigin: Bool {
        originLifetime.source.isExplicit && (lifetimeSource != .rule || originLifetime.seconds > 0)
    }

    /// Why a response with Set-Cookie is not stored; nil if it may be.
    private func cookieRefusal(_ request: RequestProfile, _ options: CachingOptions) -> RefusalReason? {
        let policy = setCookiePolicy(options)
        if policy == .refuse { return .setCookie }
        if policy == .strip { return nil }
        // One client's cookie would be every client's (C-20.1b).
        if request.sharesCredentials { return .setCookie }
        if !request.credentials.isEmpty || policy == .reuse { return nil }
        return policy == .careful && mayShareSetCookie(options) ? nil : .setCookie
    }

    /// Whether the response to a request without a credential may be shared with its Set-Cookie.
    ///
    /// It needs a stated lifetime, and the origin's explicit word if clients are not one party.
    private func mayShareSetCookie(_ options: CachingOptions) -> Bool {
        if isKeptAgainstOrigin { return false }
        let stated = originLifetime
        guard stated.source.isExplicit, stated.seconds > 0, !control.flags.contains(.noCache) else { return false }
        return options.isLoopbackListener || control.flags.contains(.isPublic) || control.sMaxAgeSeconds != nil
    }
}
