import HTTPCore

extension ResponseMetadata {
    /// Explains which requests get this response because of the Cookie in `request`; nil if something else decides
    /// that.
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
                "the request has a Cookie, but all clients share the response: it states a lifetime, and does not say private",
                "RFC 9111 §3",
                remedy: "private of the origin, cache.cookies = \"partition\", or partition = \"credential\" in a rule"
            )
        default: return nil
        }
    }
}
