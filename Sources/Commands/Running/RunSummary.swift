import Terminal

/// What a command received through the cache: the difference of two counts.
struct RunSummary {
    let sentence: String

    /// - Parameter isIntercepting: whether `--intercept` was given. The remaining tunnels are those that it leaves.
    init(
        _ before: Result<TrafficCounts, CommandFailure>,
        _ after: Result<TrafficCounts, CommandFailure>,
        _ endpoint: ProxyEndpoint,
        isIntercepting: Bool = false
    ) {
        switch (before, after) {
        case (.success(let before), .success(let after)):
            sentence = Self.sentence(before, after, endpoint, isIntercepting)
        case (.failure(let error), _), (_, .failure(let error)): sentence = "no statistics: \(error.userMessage)"
        }
    }

    private static func sentence(
        _ before: TrafficCounts,
        _ after: TrafficCounts,
        _ endpoint: ProxyEndpoint,
        _ isIntercepting: Bool
    ) -> String {
        let requests = after.requests - before.requests
        let tunnels = after.tunnels - before.tunnels
        guard requests >= 0, tunnels >= 0 else { return "no statistics: the daemon was restarted in between" }
        let bytes = Int64(max(0, after.cachedBytes - before.cachedBytes))
        var text = "\(Plural.text(requests, "request")), \(Plural.text(max(0, after.hits - before.hits), "hit")), "
        text += "\(Table.Cell.readable(bytes: bytes)) saved"
        guard tunnels > 0 else { return text }
        text += "; \(Plural.text(tunnels, "tunnel")) passed by unread"
        guard !isIntercepting else { return text + ", for hosts or programs that are not intercepted" }
        return text
            + ": `respite run --intercept -- …` or the prefix (\(endpoint.url)/https://HOST/…) caches \(tunnels == 1 ? "it" : "them")"
    }
}
