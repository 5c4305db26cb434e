import HTTPCore

/// Which requests may share a response while it arrives (C-23.0).
public enum Sharing: Sendable, Equatable {
    /// Every request that selects it.
    case everyone
    /// Only requests with the same credential (RFC 9111 §3.5).
    case sameCredential
    /// Only requests with the same credentials, Cookie among them.
    case sameCookies
    /// Only the request that caused the load.
    case leaderOnly(SharingObstacle)
}

/// Why a response is not shared; the raw value is the word for `explain`.
public enum SharingObstacle: String, Sendable {
    case method
    case request
    case interim
    case partialContent = "partial-content"
    case statusForOneRequest = "status-for-one-request"
    case noStore = "no-store"
    case noCache = "no-cache"
    case responsePrivate = "private"
    case varyAny = "vary-any"
    case setCookie = "set-cookie"
    case eventStream = "event-stream"
    case incremental
    /// A rule forbids to cache it.
    case neverCache = "never-cache"
    /// It cannot be stored, and a client that falls behind could not ask for the rest without a strong tag.
    case tooLarge = "too-large"
}

extension ResponseMetadata {
    /// Decides which requests that arrived before this response's head may follow it, even without a lifetime.
    ///
    /// - Parameter request: the request that caused the load.
    public func sharing(for request: RequestProfile, options: CachingOptions = CachingOptions()) -> Sharing {
        if let obstacle = sharingObstacle(request) { return .leaderOnly(obstacle) }
        if belongsToCookies(of: request, options) { return .sameCookies }
        if request.credentials.contains(.authorization), !control.permitsSharingDespiteAuthorization {
            return .sameCredential
        }
        return .everyone
    }

    private func sharingObstacle(_ request: RequestProfile) -> SharingObstacle? {
        if request.method != .get { return .method }
        if !request.mayJoin { return .request }
        if status < 200 { return .interim }
        if status == 206 { return .partialContent }
        if StatusCodes.isForOneRequest(status) { return .statusForOneRequest }
        if control.flags.contains(.noStore) { return .noStore }
        if control.flags.contains(.noCache) || !control.noCacheFields.isEmpty { return .noCache }
        if control.flags.contains(.isPrivate) || !control.privateFields.isEmpty { return .responsePrivate }
        if vary.isAny { return .varyAny }
        if isNeverCached { return .neverCache }
        if hasSetCookie, applied?.setCookie != .strip { return .setCookie }
        if isRecordedStream { return nil }
        if isIncremental { return .incremental }
        return isEventStream ? .eventStream : nil
    }
}
