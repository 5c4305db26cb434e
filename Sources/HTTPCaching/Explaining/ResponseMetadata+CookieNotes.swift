import HTTPCore

extension ResponseMetadata {
    /// What a Cookie in a request means for whom this response is; nil without one, or where something else decides.
    public func cookieNote(for request: RequestProfile, options: CachingOptions) -> DecisionNote? {
        guard request.credentials.contains(.cookie) else { return nil }
        var request = request
        request.method = .get
        switch storability(for: request, options: options) {
        case .store(.personal, .cookie) where belongsToCookies(of: request, options):
            return DecisionNote(
                "cookie",
                "the request has a Cookie, which is treated as Authorization is: only requests with the same credentials get it",
                "RFC 9111 §3.5",
                remedy: "public or s-maxage of the origin, or cache.cookies = \"share\""
            )
        case .store(.personal, .cookie):
            return DecisionNote(
                "cookie",
                "the request has a Cookie, and no lifetime is stated: only requests with the same credentials get it",
                "RFC 9111 §4.2.2",
                remedy: "max-age of the origin"
            )
        case .store(.shared, .shareable):
            return DecisionNote(
                "cookie-shared",
                "the request has a Cookie, and the response is everybody's all the same: it states a lifetime, and does not say private",
                "RFC 9111 §3",
                remedy: "private of the origin, cache.cookies = \"partition\", or partition = \"credential\" in a rule"
            )
        default: return nil
        }
    }
}
